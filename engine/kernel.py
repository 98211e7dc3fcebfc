"""The contract of a game, and what follows from it: fold and replay.

A game is a decider over immutable values.  ``decide`` answers an action with facts or refuses it;
``evolve`` believes every fact; ``view`` says what a viewer may see; ``legal_actions`` what a seat
may do.  Nothing here knows a clock, a network or a database.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    NamedTuple,
    Protocol,
    TypeVar,
    runtime_checkable,
)

from engine.actions import Action, HostAction
from engine.events import Event
from engine.options import Option

__all__ = [
    "HOST",
    "Budget",
    "Cards",
    "Decision",
    "Game",
    "Groups",
    "Limit",
    "Lines",
    "Listed",
    "Listing",
    "Lists",
    "Lots",
    "Names",
    "Offer",
    "OneCard",
    "PositionError",
    "Range",
    "Shuffler",
    "Steps",
    "View",
    "Words",
    "fold",
]

S = TypeVar("S")

HOST: Final = -1
"""The actor of a host action; seats are 0 and up."""

Lines = list[tuple[str, str]]
"""Position notation: (key, value) pairs, one a line (hand_script 1)."""


class PositionError(ValueError):
    """A position that cannot be read or cannot arise; the text says why."""


class Shuffler(Protocol):
    """Supplies the only randomness there is (rules C8)."""

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        """The order, from the top, of ``pile`` given in canonical order."""
        ...


class Lots(Protocol):
    """Draws lots for the host, such as who deals first; each is a shuffle on record."""

    def draw(self, purpose: str, count: int) -> int:
        """One of 0 … count - 1."""
        ...


class Range(NamedTuple):
    """An integer parameter from ``low`` to ``high``, both included.

    With ``standard`` the parameter may also be left out, or be 0: it is ``standard`` then.
    """

    field: str
    low: int
    high: int
    standard: int | None = None


class Words(NamedTuple):
    """A parameter that is one of some words."""

    field: str
    words: tuple[str, ...]


class Cards(NamedTuple):
    """A parameter that lists ``low`` to ``high`` different cards out of ``cards``."""

    field: str
    cards: tuple[int, ...]
    low: int
    high: int


class OneCard(NamedTuple):
    """A parameter that is one of some cards."""

    field: str
    cards: tuple[int, ...]


class Groups(NamedTuple):
    """A parameter that lists the cards of some groups, no card twice.

    One of them is out of ``first``, unless that is empty; any number of others are out of
    ``more``.  Together they have ``low`` cards or more, one of ``among`` at least if that is not
    empty.  This is the short form of what may be thousands of lists.
    """

    field: str
    first: tuple[tuple[int, ...], ...]
    more: tuple[tuple[int, ...], ...]
    low: int = 0
    among: tuple[int, ...] = ()

    def admits(self, cards: Iterable[int]) -> bool:
        """Whether a list of different cards is the union of such groups.

        >>> Groups("loose", (), ((1,), (2, 3), (3, 4)), 1).admits((2, 3, 1))
        True
        """
        rest = frozenset(cards)
        if len(rest) < self.low or (self.among and not rest & set(self.among)):
            return False
        return any(
            rest >= set(group) and _divides(rest - set(group), self.more)
            for group in self.first or ((),)
        )

    def unions(self) -> Iterator[tuple[int, ...]]:
        """All lists there may be, each once, as they are found."""
        seen: set[frozenset[int]] = set()
        for group in self.first or ((),):
            for cards in _unions(frozenset(group), self.more):
                fits = len(cards) >= self.low and (not self.among or cards & set(self.among))
                if fits and cards not in seen:
                    seen.add(cards)
                    yield tuple(sorted(cards))


class Names(NamedTuple):
    """A parameter that lists ``low`` or more different words, all of ``must`` among them."""

    field: str
    words: tuple[str, ...]
    low: int = 0
    must: tuple[str, ...] = ()


Limit = Range | Words | Cards | OneCard | Groups | Names


def _divides(rest: frozenset[int], groups: Sequence[tuple[int, ...]]) -> bool:
    if not rest:
        return True
    lowest = min(rest)
    return any(
        lowest in group and rest >= set(group) and _divides(rest - set(group), groups)
        for group in groups
    )


def _unions(
    chosen: frozenset[int], groups: Sequence[tuple[int, ...]], start: int = 0
) -> Iterator[frozenset[int]]:
    yield chosen
    for index in range(start, len(groups)):
        if not chosen.intersection(groups[index]):
            yield from _unions(chosen.union(groups[index]), groups, index + 1)


class Budget(NamedTuple):
    """What several parameters may be together: the weighted sum of some is at most ``most``.

    A parameter that is left out counts as 0.
    """

    fields: tuple[str, ...]
    weights: tuple[int, ...]
    most: int


class Offer(NamedTuple):
    """An action that would be accepted, with everything its parameters may be.

    ``together``: what they may be besides, where one of them leaves less for another.
    """

    action: type[Action]
    limits: tuple[Limit, ...] = ()
    together: tuple[Budget, ...] = ()


class Listed(NamedTuple):
    """One legal action, and its text in the notation of the game's specification."""

    text: str
    action: Action


class Listing(NamedTuple):
    """Legal actions one by one.

    ``counts``: how many there are of each kind, such as ``captures``, in the order of the list.
    ``plays``: the first of them.
    """

    counts: tuple[tuple[str, int], ...]
    plays: tuple[Listed, ...]

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(count for _, count in self.counts)

    @property
    def truncated(self) -> bool:
        """Whether there are more than are listed."""
        return self.total > len(self.plays)


class Decision(NamedTuple):
    """A public decision point: hand, its number within the hand (from 1), who may answer it.

    Between hands, where a player decides how it goes on, ``hand`` is 0 and the numbers count
    through the life of the table.
    """

    hand: int
    number: int
    seats: tuple[int, ...]


class View:
    """Base of what a viewer sees of a game; each game has its own dataclass."""

    __slots__ = ()


class Game(Protocol[S]):
    """What the kernel, the store, the API and the tools need to know of a game."""

    key: ClassVar[str]
    """The game's id, such as ``palace_poker``."""

    NUMBER: ClassVar[int]
    """Event types of this game are NUMBER + 1 … NUMBER + 99; stored for ever."""

    RULES: ClassVar[int]
    """Revision of the rules code, raised whenever its behaviour moves."""

    TITLE: ClassVar[str]
    SUMMARY: ClassVar[str]
    OPTIONS: ClassVar[tuple[Option, ...]]
    START_FACTS: ClassVar[tuple[Option, ...]]
    ACTIONS: ClassVar[tuple[type[Action], ...]]
    EVENTS: ClassVar[tuple[type[Event], ...]]
    VIEW: ClassVar[type[View]]

    NUMBERED: ClassVar[frozenset[str]]
    """Position keys that are followed by a number, such as ``pile`` in ``pile 3``."""

    START: ClassVar[type[HostAction]]
    """The host action that begins a hand, or play in which players begin the hands.

    See :meth:`next_start`.
    """

    HAND_BEGINS: ClassVar[frozenset[type[Event]]]
    HAND_ENDS: ClassVar[frozenset[type[Event]]]

    DECIDES: ClassVar[frozenset[type[Event]]]
    """Events that each answer one decision or ask for another: the decision number counts them."""

    SECRET_UNTIL: ClassVar[frozenset[str]] = frozenset()
    """Purposes of the shuffles before which no secret of an epoch that is over is told.

    Empty: it is told as soon as no card of the epoch can matter any more.
    """

    @abstractmethod
    def initial(self) -> S:
        """Nothing: ``open_table`` is the first action."""

    @abstractmethod
    def decide(
        self, state: S, actor: int, action: Action, shuffler: Shuffler
    ) -> tuple[tuple[Event, ...], S]:
        """The facts an action makes, and the state after them.

        ``actor`` is a seat or :data:`HOST`.  Raises ``Refused``; then nothing has changed.
        """

    @abstractmethod
    def evolve(self, state: S, event: Event) -> S:
        """The state after a fact, redacted or not."""

    @abstractmethod
    def view(self, state: S, viewer: int) -> View:
        """What ``viewer`` (an audience mask) may see."""

    @abstractmethod
    def legal_actions(self, state: S, seat: int) -> tuple[Offer, ...]:
        """What the seat may answer the running decision with."""

    @abstractmethod
    def to_act(self, state: S) -> tuple[int, ...]:
        """The seats whose decision is awaited.

        Empty between hands, unless it is a player who decides how it goes on.
        """

    def answers(self, state: S, event: Event) -> bool:
        """Whether an event of :attr:`DECIDES` meets the decision awaited in ``state``.

        It does, unless the game says that the same fact may come about at somebody else's turn.
        """
        del state, event
        return True

    @abstractmethod
    def hand(self, state: S) -> int:
        """Number of the running hand, from 1; 0 between hands.

        Where it begins anew, as that of a deal does with each game, the house counts on: what a
        table's hands are known by is ``engine.house.running_hand``.
        """

    @abstractmethod
    def seats(self, state: S) -> int:
        """How many seats the table has."""

    @abstractmethod
    def players(self, state: S) -> Mapping[int, tuple[str, int]]:
        """Occupied seats: seat → (player, chips on the stack)."""

    @abstractmethod
    def can_start(self, state: S) -> bool:
        """Whether :meth:`next_start` would be accepted now."""

    def next_start(self, state: S, lots: Lots) -> HostAction:
        """The host action that leads on to the next hand.

        :attr:`START`, unless the game has something to do before that, such as starting a game
        of several deals.  Random choices come from ``lots``; none is drawn where the action would
        be refused anyway.
        """
        del state, lots
        return self.START()

    @abstractmethod
    def is_closed(self, state: S) -> bool:
        """Whether the table is closed for good."""

    @abstractmethod
    def epoch_is_over(self, state: S) -> bool:
        """Whether no card of the running epoch can matter any more (what is revealed together)."""

    @abstractmethod
    def lines(self, view: View) -> Lines:
        """A view in position notation; of the view of AUDITOR: the canonical text of the state."""

    @abstractmethod
    def derived(self, view: View) -> Lines:
        """Lines that follow from the others: checks may name them, positions may not."""

    @abstractmethod
    def defaults(self) -> Mapping[str, str]:
        """What a key stands for whose line is left out."""

    @abstractmethod
    def place(self, state: S, lines: Sequence[tuple[str, str]]) -> S:
        """The table of ``state`` (its options) standing in a position; raises PositionError."""

    @abstractmethod
    def script_start(
        self, entries: Mapping[str, str]
    ) -> tuple[Mapping[str, str], tuple[HostAction, ...]]:
        """What a script's ``start:`` line means: start facts, and actions it performs by itself."""


AnyGame = Game[Any]


@runtime_checkable
class Lists(Protocol):
    """A game whose legal actions can also be had one by one (``plays`` checks of scripts)."""

    def listing(self, state: Any, seat: int, limit: int) -> Listing:
        """What a seat may do, the first ``limit`` in the order of the specification.

        It may take long: a service calls it on a thread of its own.
        """
        ...


class Steps(Generic[S]):
    """Evolves while it emits, so that ``decide`` always works on the state after its own facts."""

    __slots__ = ("_evolve", "events", "state")

    def __init__(self, game: Game[S], state: S) -> None:
        self._evolve = game.evolve
        self.state = state
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Add a fact and believe it."""
        self.events.append(event)
        self.state = self._evolve(self.state, event)

    def result(self) -> tuple[tuple[Event, ...], S]:
        """What ``decide`` returns."""
        return tuple(self.events), self.state


def fold(game: Game[S], events: Iterable[Event], state: S | None = None) -> S:
    """The state after ``events``, from nothing or from ``state``."""
    now = game.initial() if state is None else state
    for event in events:
        now = game.evolve(now, event)
    return now
