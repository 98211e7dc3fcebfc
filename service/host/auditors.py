"""Who may have the record as it is stored."""

from __future__ import annotations

from uuid import UUID

from engine.errors import Denied
from service.host.eyes import require_impartial
from service.host.host import Host
from service.identity import Principal, Role
from service.projections.hand_index import Hands
from service.store.postgres import Store

__all__ = ["Auditors"]


class Auditors:
    """Who may have a complete export: auditors who do not play.  Raises ``Denied``, ``Unknown``,
    ``Unavailable``.
    """

    def __init__(self, host: Host, store: Store, hands: Hands) -> None:
        self._host = host
        self._store = store
        self._hands = hands

    async def require_table(self, caller: Principal, stream: UUID) -> None:
        """Raises unless the caller may have a table."""
        caller.require(Role.AUDITOR)
        live = await self._host.find_table(caller, stream)
        await require_impartial(caller, live, self._store)

    async def require_all(self, caller: Principal) -> None:
        """Raises unless the caller may have the whole store."""
        caller.require(Role.AUDITOR)
        if caller.lab:
            raise Denied("the laboratory has no auditors")
        await self._hands.catch_up()  # a hand that has just begun counts
        if await self._hands.of_player(caller.id, 1):
            raise Denied("who plays here is no auditor of everything: ask for single tables")
