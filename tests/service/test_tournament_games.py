"""Small tournaments of the games in which points or wins are counted, not chips."""

from __future__ import annotations

from typing import Any

from engine.tournament.formats import format_of
from engine.tournament.state import Phase
from engine.tournament.structure import Structure
from tests.audit.looking import audited
from tests.service.harness import run, running
from tests.service.tournament import Event

CASINO = Structure(
    name="Casino night",
    game="royal_casino",
    format="knock_out",
    table_size=2,
    buy_in=50,
    options=(("max_deals", "1"),),
)
SERIES = Structure(
    name="Patience",
    game="royal_flush",
    format="series",
    table_size=1,
    buy_in=10,
    fee=1,
    settings=(("games", "3"),),
)
PONTOON = Structure(
    name="Twenty-one",
    game="pontoon",
    format="rounds",
    table_size=3,
    stack=200,
    buy_in=20,
    settings=(("bank", "rotating"), ("deals", "1")),
)
CHOICE = Structure(
    name="Prophets",
    game="royal_flush",
    format="choice",
    table_size=1,
    buy_in=10,
    settings=(
        ("games", "2"),
        ("commit_seconds", "1"),
        ("choice.any", "points=2000000 target_mode=royal_flush"),
        ("choice.ace", "points=1500000 target_mode=named_cards named_cards=As"),
    ),
)


async def played(dsn: str, structure: Structure, players: int) -> tuple[Any, list[int]]:
    """A tournament to its end, and what is on the accounts then."""
    async with running(dsn) as service:
        event = await Event.create(service, players, structure)
        await event.start()
        live = await event.play()
        return live.now.state, await event.balances()


def test_royal_casino_is_knocked_out(dsn: str, monkeypatch: Any) -> None:
    """Three in, one of them with a bye: matches at tables of their own, scored by the game."""
    state, balances = run(played(dsn, CASINO, 3))
    assert state.phase is Phase.FINISHED
    rows = list(format_of(state.structure).standings(state))
    assert [row.place for row in rows] == [1, 2, 3]
    assert sum(balances) == 3 * 1000
    report = audited(dsn, monkeypatch)
    assert report.result.findings == []
    assert report.result.count.in_tournaments == 0


def test_a_series_of_royal_flush(dsn: str, monkeypatch: Any) -> None:
    """Everybody at a table of his own, three games each: most wins, then fewest cards left."""
    state, balances = run(played(dsn, SERIES, 3))
    assert state.phase is Phase.FINISHED
    assert state.deals == 9
    assert sum(balances) == 3 * (1000 - 1)
    assert audited(dsn, monkeypatch).result.findings == []


def test_pontoon_with_a_bank_that_rotates(dsn: str, monkeypatch: Any) -> None:
    """Three at a table, three deals: each has banked once, and the stacks are the places."""
    state, balances = run(played(dsn, PONTOON, 3))
    assert state.phase is Phase.FINISHED
    assert state.deals <= 3
    assert sum(balances) == 3 * 1000
    assert audited(dsn, monkeypatch).result.findings == []


def test_royal_flush_by_choice(dsn: str, monkeypatch: Any) -> None:
    """Two deals, with a second between them to commit anew."""
    state, balances = run(played(dsn, CHOICE, 3))
    assert state.phase is Phase.FINISHED
    assert state.deals == 6
    assert sum(balances) == 3 * 1000
    assert audited(dsn, monkeypatch).result.findings == []
