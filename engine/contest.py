"""What a tournament knows of a game: a part of the game's contract (``engine.kernel``).

All of it may be left out: then tables are ranked by chips, and nothing changes between hands.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Protocol, TypeVar

from engine.actions import Action

__all__ = ["Contest"]

S = TypeVar("S")


class Contest(Protocol[S]):
    """How seats are ranked, what may change between hands, what is done without being asked."""

    SEATS_OPTION: ClassVar[str] = ""
    """The option that says how many seats a table has; empty: they are always as many."""

    CHANGEABLE: ClassVar[frozenset[str]] = frozenset()
    """Options that may change between hands, as the levels of a tournament have it."""

    NOT_IN_TOURNAMENTS: ClassVar[frozenset[type[Action]]] = frozenset()
    """What a player may not do at a table of a tournament: it would hold up the others."""

    @abstractmethod
    def players(self, state: S) -> Mapping[int, tuple[str, int]]:
        """Occupied seats: seat → (player, chips on the stack)."""

    def scores(self, state: S) -> Mapping[int, int]:
        """What a tournament ranks the seats by, such as points; if nothing else, their chips."""
        return {seat: chips for seat, (_, chips) in self.players(state).items()}

    def rests(self, state: S) -> Mapping[int, int]:
        """What a tournament breaks ties by after a hand; nothing: there is no such thing."""
        del state
        return {}

    def is_game_over(self, state: S) -> bool:
        """Whether a game of several hands has come to its end with the last one."""
        del state
        return False

    def house_action(self, state: S, seat: int) -> Action | None:
        """What a player of the house's own does at his turn; he has no choice.

        None: no such player can have a turn there.
        """
        del state, seat
        return None

    def dealer(self, state: S) -> int:
        """The seat that deals the running hand or dealt the last one; -1: there is none."""
        del state
        return -1

    def before_hand(self, state: S) -> tuple[tuple[int, Action], ...]:
        """What seats do by themselves before a hand that a tournament allows."""
        del state
        return ()

    def before_options(
        self, state: S, options: Mapping[str, str]
    ) -> tuple[tuple[int, Action], ...]:
        """What seats do before the table changes to these options, all of them as text."""
        del state, options
        return ()

    def with_options(self, state: S, options: Mapping[str, str]) -> S:
        """The table between two hands with these options, all of them as text: facts, believed.

        Only those of :attr:`CHANGEABLE` differ from what they were.
        """
        del options
        return state
