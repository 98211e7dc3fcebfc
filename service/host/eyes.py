"""With whose eyes a caller sees: the limits of his token, and of an auditor's office."""

from __future__ import annotations

from engine.errors import Denied
from engine.visibility import OBSERVER, seat_viewer
from service.host.live import Live
from service.identity import Principal
from service.store.actors import has_acted
from service.store.postgres import Store

__all__ = ["limit", "require_impartial"]


def limit(caller: Principal, mask: int) -> int:
    """A viewer mask, cut down to the seat of a token that is good for one seat only.

    The principal behind such a token may hold other seats, or have held them: the token's bearer
    sees nothing of theirs.
    """
    return mask if caller.seat is None else mask & (OBSERVER | seat_viewer(caller.seat))


async def require_impartial(caller: Principal, live: Live, store: Store) -> None:
    """Raises ``Denied`` if the caller ever played here against others.

    An auditor who plays, or did, would learn how his opponents play the cards they do not show.
    Alone at a table nobody has opponents.
    """
    if live.table.game.seats(live.table.state) == 1:
        return
    if await store.pool.ask(lambda db: has_acted(db, live.stream, caller.id)):
        raise Denied("who has played at a table is not its auditor: ask with your own eyes")
