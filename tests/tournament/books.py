"""What holds after every event of every tournament: nothing is lost, and no two facts disagree."""

from __future__ import annotations

from engine.tournament.formats.elimination.sizes import play_of, strength
from engine.tournament.state import Duty, EntryStatus, Phase, TableStatus, Tournament

__all__ = ["check_books"]

IN = {EntryStatus.ENTERED, EntryStatus.PLAYING}


def check_books(state: Tournament) -> None:
    """Money, chips, seats and sets."""
    check_money(state)
    check_chips(state)
    check_seats(state)
    check_counts(state)
    check_sets(state)


def check_money(state: Tournament) -> None:
    """To the unit: what came in is somewhere."""
    money = state.money
    assert min(money) >= 0
    inside = money.waiting + money.pool + money.fees + money.owed + money.paid
    assert money.taken + money.added == inside
    assert money.owed == sum(entry.due for entry in state.entries)


def check_chips(state: Tournament) -> None:
    """To the chip: what came into play lies somewhere, or has left it."""
    lying = sum(seat.chips for table in state.tables for seat in table.seats)
    pockets = sum(entry.pocket for entry in state.entries)
    assert lying + pockets == state.issued - state.removed


def check_seats(state: Tournament) -> None:
    """Entries and seats name each other, and nobody has two."""
    here: dict[int, tuple[int, int]] = {}
    there: dict[int, tuple[int, int]] = {}
    for number, table in enumerate(state.tables):
        for at, seat in enumerate(table.seats):
            if seat.entry >= 0:
                kind = there if seat.duty is Duty.AWAIT else here
                assert seat.entry not in kind
                kind[seat.entry] = number, at
                if seat.duty is Duty.MOVE and state.phase is Phase.RUNNING:
                    assert seat.chips or not state.structure.stack  # he would sit there with none
    for number, entry in enumerate(state.entries):
        assert here.get(number, (-1, -1)) == (entry.table, entry.seat)
        if state.phase is Phase.RUNNING:
            assert there.get(number, (-1, -1)) == (entry.to_table, entry.to_seat)


def check_counts(state: Tournament) -> None:
    """Numbers of entries are what one counts."""
    statuses = [entry.status for entry in state.entries]
    assert state.left == sum(status in IN for status in statuses)
    assert state.out == statuses.count(EntryStatus.OUT)
    assert state.field == state.left + state.out


def check_sets(state: Tournament) -> None:
    """Sets hold what they say."""
    for name, status in (
        ("opening", TableStatus.OPENING),
        ("resting", TableStatus.RESTING),
        ("dealing", TableStatus.DEALING),
        ("breaking", TableStatus.BREAKING),
    ):
        assert getattr(state, name) == bits(table.status is status for table in state.tables)
    assert state.standing == bits(table.status is not TableStatus.DONE for table in state.tables)
    duties = (any(seat.duty for seat in table.seats) for table in state.tables)
    assert state.busy == bits(duties)
    assert state.owed == bits(bool(entry.due) for entry in state.entries)
    assert state.waiting == bits(entry.status is EntryStatus.WAITING for entry in state.entries)
    if state.structure.format == "elimination":
        played = {TableStatus.OPENING, TableStatus.RESTING, TableStatus.DEALING}
        for size, tables in enumerate(play_of(state).sizes):
            assert tables == bits(
                table.status in played and strength(state, number) == size
                for number, table in enumerate(state.tables)
            )


def bits(members: object) -> int:
    """A set as an integer."""
    return sum(1 << at for at, member in enumerate(members) if member)  # type: ignore[arg-type]
