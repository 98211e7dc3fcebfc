"""The contract of a game, and what follows from it: fold and replay.

A game is a decider over immutable values.  ``decide`` answers an action with facts or refuses it;
``evolve`` believes every fact; ``view`` says what a viewer may see; ``legal_actions`` what a seat
may do.  Nothing here knows a clock, a network or a database.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
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
from engine.contest import Contest
from engine.events import Event
from engine.offers import Budget, Cards, Groups, Limit, Names, Offer, OneCard, Range, Words
from engine.options import Option
from engine.transfers import Move

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


class Game(Contest[S], Protocol[S]):
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

    CARD_ZONES: ClassVar[tuple[str, ...]]
    """Fields of the view in which the cards of the table lie, each card in one of them.

    ``builds.groups``: that field of each item of a list.
    """

    CHIP_ZONES: ClassVar[tuple[str, ...]] = ()
    """Fields of the view that hold chips beside the stacks, such as the pot."""

    MOVES_CHIPS: ClassVar[frozenset[type[Event]]] = frozenset()
    """Events that say which player's chips became another's; see :meth:`moved`."""

    ASKS_BETWEEN_HANDS: ClassVar[bool] = False
    """Whether decisions are awaited between hands too: players decide how it goes on."""

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

    def dealt_in(self, event: Event) -> tuple[int, ...] | None:
        """The seats that take part in the hand which an event of :attr:`HAND_BEGINS` begins.

        None: all that are occupied.
        """
        del event
        return None

    def moved(self, event: Event) -> tuple[Move, ...]:
        """The chips that an event of :attr:`MOVES_CHIPS` moves between players.

        Buying in and cashing out move none: what all of these move adds up to what was won and
        lost.
        """
        del event
        return ()

    @abstractmethod
    def seats(self, state: S) -> int:
        """How many seats the table has."""

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

    def without_pack(self, state: S) -> S:
        """The table between two hands, once nobody knows the order of its pack any more.

        As it stands, unless the pack goes on from hand to hand: then it has to be shuffled.
        """
        return state

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
