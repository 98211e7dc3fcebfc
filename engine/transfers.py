"""Chips that change hands: what a game tells of them, and whose they were when a pot is shared out.

Public facts alone.  A game says with each of its events which chips it moved: from seat to seat,
to and from the pot, to and from whoever holds the bank.  From that follows who lost how much to
whom, to the chip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

__all__ = ["BANK", "POT", "BankHeld", "Move", "Moved", "PotBegun", "Tally", "Transfer", "share_out"]

POT: Final = -2
"""In place of a seat: what several players put together, and some of them take."""

BANK: Final = -3
"""In place of a seat: the seat that holds the bank."""


class Moved(NamedTuple):
    """Chips went from ``payer`` to ``payee``: seats, :data:`POT` or :data:`BANK`."""

    payer: int
    payee: int
    chips: int


class PotBegun(NamedTuple):
    """A pot begins; what an earlier one still holds was given back."""


class BankHeld(NamedTuple):
    """From here on ``seat`` holds the bank; None: nobody does."""

    seat: int | None


Move: TypeAlias = Moved | PotBegun | BankHeld
Transfer: TypeAlias = tuple[str, str, int]
"""Chips that were one player's and are another's: (payer, payee, chips)."""


class Tally(NamedTuple):
    """What a table's moves have come to, between two events.

    ``bank``: the seat that holds it.  ``pot``: what each player has won by the running pot so
    far; negative: what he has in it.
    """

    bank: int | None = None
    pot: Mapping[str, int] = {}

    def follow(
        self, moves: Iterable[Move], seated: Mapping[int, str]
    ) -> tuple[Tally, list[Transfer]]:
        """The tally after an event's moves, and the transfers that they make.

        Raises ``KeyError`` where chips move to or from a seat at which nobody sits.
        """
        bank, pot = self.bank, dict(self.pot)
        made: list[Transfer] = []

        def player(seat: int) -> str:
            return seated[bank if seat == BANK and bank is not None else seat]

        for move in moves:
            match move:
                case PotBegun():
                    pot = {}
                case BankHeld():
                    bank = move.seat
                case Moved(chips=0):
                    continue
                case Moved(payer=payer, payee=payee, chips=chips) if POT in {payer, payee}:
                    who = player(payer if payee == POT else payee)
                    pot[who] = pot.get(who, 0) + (chips if payer == POT else -chips)
                case Moved(payer=payer, payee=payee, chips=chips):
                    made.append((player(payer), player(payee), chips))
        if not sum(pot.values()):
            made += share_out(pot)
            pot = {}
        return Tally(bank, pot), made


def share_out(pot: Mapping[str, int]) -> list[Transfer]:
    """Who lost how much to whom, as (payer, payee, chips), where all of a pot was paid out.

    ``pot``: what each player has won by it, negative: what he lost; together they are 0.  Every
    loser pays every winner in proportion to what that one won.  Losers are taken by their ids,
    and of what one of them pays, parts of a chip go to the winners with the largest ones, so that
    each pays exactly what he lost and gets exactly what he won.

    >>> share_out({"a": -60, "b": -40, "c": 75, "d": 25})
    [('a', 'c', 45), ('a', 'd', 15), ('b', 'c', 30), ('b', 'd', 10)]
    >>> share_out({"a": -1, "b": -1, "c": 1, "d": 1})
    [('a', 'c', 1), ('b', 'd', 1)]
    """
    due = {player: won for player, won in sorted(pot.items()) if won > 0}
    if sum(pot.values()):
        raise ValueError("this pot was not paid out")
    moved: list[tuple[str, str, int]] = []
    for payer, lost in sorted((player, -won) for player, won in pot.items() if won < 0):
        total = sum(due.values())
        parts = {payee: divmod(lost * won, total) for payee, won in due.items()}
        paid = {payee: whole for payee, (whole, _) in parts.items()}
        largest = sorted(parts, key=lambda payee: (-parts[payee][1], payee))
        for payee in largest[: lost - sum(paid.values())]:
            paid[payee] += 1
        due = {payee: won - paid[payee] for payee, won in due.items()}
        moved += [(payer, payee, chips) for payee, chips in paid.items() if chips]
    return moved
