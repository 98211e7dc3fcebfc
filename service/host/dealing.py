"""Deciding: from an action to the events of a commit, the house's own among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from engine.actions import (
    MANAGER_ACTIONS,
    Action,
    ContributeEntropy,
    HostAction,
    ReleaseEmbargo,
)
from engine.embargo import may_be_told, release
from engine.entropy import contribute, contributions
from engine.errors import Refused
from engine.events import (
    DeckShuffled,
    EpochClosed,
    EpochOpened,
    Event,
    LotDrawn,
    ShuffleCommitted,
)
from engine.house import House, Table, apply_all
from engine.kernel import HOST, AnyGame, Shuffler
from engine.managed import house_turns, manage, require_manager
from engine.visibility import EVERYONE, SERVER, Private
from service.vault import EpochKeys, EpochShuffler, MasterKey, root_of_places, shuffle_salt
from service.world import Entropy

__all__ = [
    "Keyed",
    "Keys",
    "LabShuffler",
    "committed",
    "decide",
    "decide_at",
    "epoch_opened",
    "next_start",
    "packs_of",
    "start_at",
    "turn_of_epoch",
]


class Keys(Protocol):
    """Who knows the keys of a stream's epochs."""

    def keys(self, epoch: int) -> EpochKeys:
        """The keys of an epoch; raises ``Corrupt`` where they are not known."""
        ...


class Keyed(Protocol):
    """A stored table with its keys: one in memory, or one that is read by an auditor."""

    @property
    def opener(self) -> Keys:
        """Knows the keys of its epochs."""
        ...


class LabShuffler:
    """Lab tables: stacked decks first, then the epoch's own orders."""

    def __init__(self, stacked: Sequence[tuple[int, ...]], otherwise: Shuffler) -> None:
        self._stacked = list(stacked)
        self._otherwise = otherwise

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        """The next stacked order; cards it does not name follow in canonical order."""
        if not self._stacked:
            return self._otherwise.shuffle(purpose, pile)
        named = self._stacked.pop(0)
        if not set(named) <= set(pile):
            raise Refused("BAD_PARAMETER", field="deck", expected="cards of the pile shuffled")
        chosen = set(named)
        return named + tuple(card for card in pile if card not in chosen)


class _NoShuffler:
    """Where nothing can be shuffled any more."""

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        """Refuses."""
        raise Refused("TABLE_CLOSED", purpose=purpose, cards=len(pile))


def decide(table: Table, keys: EpochKeys, actor: int, action: Action) -> tuple[Event, ...]:
    """The game's events for an action at ``table``.  Raises ``Refused``."""
    events, _ = table.game.decide(table.state, actor, action, _shuffler(table.house, keys))
    return events


def _shuffler(house: House, keys: EpochKeys) -> Shuffler:
    shuffler: Shuffler = _orders(house, keys)
    return LabShuffler(house.stacked, shuffler) if house.lab else shuffler


def decide_at(live: Keyed, table: Table, actor: int, action: Action) -> tuple[Event, ...]:
    """What the rules, or the house, make of an action at a stored table; raises ``Refused``.

    Whose turn it is then, if he is a player of the house's own, has taken it.
    """
    events = _decided(live, table, actor, action)

    def decide_next(table: Table, seat: int, action: Action) -> Sequence[Event]:
        return decide(table, live.opener.keys(table.house.epoch), seat, action)

    return (*events, *house_turns(table, actor, events, decide_next))


def _decided(live: Keyed, table: Table, actor: int, action: Action) -> tuple[Event, ...]:
    match action:
        case ContributeEntropy():
            return contribute(table, actor, action)
        case ReleaseEmbargo():
            return release(table)
        case _ if isinstance(action, MANAGER_ACTIONS):
            return _managed(live, table, action)
        case _:
            require_manager(table, action)
    if table.house.epoch:
        return decide(table, live.opener.keys(table.house.epoch), actor, action)
    # A closed table has no epoch; the rules still have their word for the action.
    table.game.decide(table.state, actor, action, _NoShuffler())
    raise Refused("TABLE_CLOSED")


def _orders(house: House, keys: EpochKeys) -> EpochShuffler:
    return EpochShuffler(keys, contributions(house), house.shuffles, packs_of(house))


def packs_of(house: House) -> UUID | None:
    """The packs that other tables deal too, if there are such."""
    return UUID(house.packs) if house.packs else None


def _managed(live: Keyed, table: Table, action: Action) -> tuple[Event, ...]:
    house = table.house
    keys = live.opener.keys(house.epoch) if house.epoch else None
    return manage(table, action, _NoShuffler() if keys is None else _shuffler(house, keys))


class _EpochLots:
    """Lots of the host: shuffles of the epoch, told as facts of the house."""

    def __init__(self, shuffler: Shuffler) -> None:
        self._shuffler = shuffler
        self.drawn: list[Event] = []

    def draw(self, purpose: str, count: int) -> int:
        """See ``Lots``."""
        order = self._shuffler.shuffle(purpose, tuple(range(count)))
        self.drawn.append(LotDrawn(purpose, order))
        return order[0]


def _lots(live: Keyed, table: Table) -> _EpochLots:
    if not table.house.epoch:
        return _EpochLots(_NoShuffler())
    house = table.house
    keys = live.opener.keys(house.epoch)
    return _EpochLots(_orders(house, keys))


def next_start(live: Keyed, table: Table) -> HostAction:
    """What the host does next to bring about a hand; the same however often it is asked."""
    return table.game.next_start(table.state, _lots(live, table))


def start_at(live: Keyed, table: Table) -> tuple[Event, ...]:
    """The lots that the host draws for it, and what the rules make of it; raises ``Refused``."""
    lots = _lots(live, table)
    action = table.game.next_start(table.state, lots)
    drawn = tuple(lots.drawn)
    return (*drawn, *decide_at(live, apply_all(table, drawn), HOST, action))


def committed(keys: EpochKeys, house: House, events: Sequence[Event]) -> tuple[Event, ...]:
    """The events with a commitment to each shuffle right behind it, before its cards are seen.

    ``house`` is the house before them.  Decks of the laboratory may be stacked: nothing is fair
    about them, and nothing is committed to.
    """
    if house.lab or DeckShuffled not in map(type, events):
        return tuple(events)
    entropy = contributions(house)
    number = house.shuffles
    found: list[Event] = []
    for event in events:
        found.append(event)
        if isinstance(event, DeckShuffled):
            purpose = event.purpose
            root = root_of_places(keys, number, purpose, entropy, event.order.value)
            found.append(ShuffleCommitted(number, purpose, shuffle_salt(entropy), root))
        number += isinstance(event, DeckShuffled | LotDrawn)
    return tuple(found)


def epoch_opened(keys: EpochKeys, master: MasterKey) -> EpochOpened:
    """The fact that an epoch is open: its commitment, and its secret for the server only."""
    return EpochOpened(keys.epoch, keys.commitment, Private(keys.wrap(master), SERVER))


def turn_of_epoch(
    stream: UUID,
    before: Table,
    events: Sequence[Event],
    seat: int,
    opener: Keys,
    master: MasterKey,
    entropy: Entropy,
) -> tuple[tuple[Event, ...], Table, EpochKeys | None]:
    """The events with what the house adds once no card of the epoch can matter any more.

    Also the table after them, and the keys of the epoch that they open, if they do.

    The next epoch opens in the commit in which one is over, so that a commitment is always public
    before anything of it is used.  The secret of the one that is over is told in that commit too,
    or, where the game has it so, with the shuffle that makes an end of its cards; under an embargo
    not before that was released.  A closed table opens no more once nobody is left at it.
    """
    after = apply_all(before, events, seat)
    game, house = after.game, after.house
    closed = game.is_closed(after.state)
    left = closed and not game.players(after.state)
    audience = EVERYONE if house.options.reveal == "public" else SERVER
    tail: list[Event] = []
    if closed or not game.SECRET_UNTIL or _makes_an_end(game, events):
        told = [row for row in house.kept if may_be_told(house, row[0])]
        tail += [_epoch_closed(opener.keys(row[0]), audience) for row in told]
    fresh = None
    # At most one epoch is kept for the sake of the game; an embargo keeps any number.
    waits = house.kept and not house.options.embargo
    over = closed or (game.epoch_is_over(after.state) and not waits)
    if left or (over and house.shuffles > 0):
        if may_be_told(house, house.epoch) and (closed or not game.SECRET_UNTIL):
            tail.append(_epoch_closed(opener.keys(house.epoch), audience))
        if not left:
            packs = packs_of(house)
            if packs is None:
                fresh = EpochKeys.draw(stream, house.epoch + 1, entropy)
            else:
                fresh = opener.keys(house.epoch).next_of(packs)
            tail.append(epoch_opened(fresh, master))
    if not tail:
        return tuple(events), after, None
    return (*events, *tail), apply_all(after, tail), fresh


def _makes_an_end(game: AnyGame, events: Sequence[Event]) -> bool:
    """Whether a shuffle is among the events before which no earlier secret may be told."""
    return any(
        isinstance(event, DeckShuffled) and event.purpose in game.SECRET_UNTIL for event in events
    )


def _epoch_closed(keys: EpochKeys, audience: int) -> EpochClosed:
    return EpochClosed(keys.epoch, Private(keys.reveal(), audience))
