"""Royal Casino: whole tournaments of matches, whatever happens at the tables and to the manager."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament import actions as a
from engine.tournament import orders as o
from engine.tournament.formats import format_of
from engine.tournament.formats import match_events as m
from engine.tournament.formats.matches import play_of
from engine.tournament.state import Phase
from engine.tournament.structure import Structure
from tests.tournament.formats.manager import Manager

CASINO = Structure(name="Casino", game="royal_casino", table_size=2, buy_in=100, fee=10)
KINDS = ("swiss", "all_play_all", "knock_out")


def structure(kind: str, seats: int = 2, **settings: Any) -> Structure:
    pairs = tuple((name, str(value).lower()) for name, value in settings.items())
    field: dict[str, Any] = {
        "table_size": seats,
        "min_entrants": seats,
        "max_entrants": 64,
        "settings": pairs,
    }
    return CASINO._replace(format=kind, **field)


def deal(manager: Manager, order: o.StartHand, *, drawn: float = 0.1) -> a.HandEnded:
    """One deal of a game: scores go up, and past 21 somebody has won."""
    chance = manager.chance
    seats = manager.state.tables[order.table].seats
    before = [seat.chips for seat in seats]
    gain = [chance.randrange(9), chance.randrange(9)]
    after = [before[at] + gain[at % 2] for at in range(len(seats))]
    over = max(after) >= 21
    best = None if chance.random() < drawn else chance.choice((0, 1))
    return a.HandEnded(
        order.table,
        order.hand,
        tuple(
            a.SeatResult(at, before[at], after[at], int(over and at % 2 == best))
            for at in range(len(seats))
        ),
        dealer=(order.hand - 1) % len(seats),
        over=over,
    )


def sides_of(manager: Manager) -> list[tuple[int, ...]]:
    return [side.entries for side in play_of(manager.state).sides]


fields = st.tuples(st.sampled_from(KINDS), st.sampled_from([2, 4]), st.integers(2, 8))
matters = st.fixed_dictionaries({"best_of": st.integers(1, 4), "duplicate": st.booleans()})


@given(fields, matters, st.integers(0, 999))
@settings(max_examples=25, deadline=None)
def test_every_tournament_ends(
    field: tuple[str, int, int], given_: dict[str, Any], seed: int
) -> None:
    kind, seats, sides = field
    manager = Manager(structure(kind, seats, **given_), sides * seats // 2, deal, seed)
    manager.start()
    manager.run()
    places = manager.finished()
    for entries in sides_of(manager):
        assert len({places[entry] for entry in entries}) == 1, "partners share their place"
    assert min(places) == 1
    assert places.count(1) == seats // 2, "one champion"
    won = sum(entry.won for entry in manager.state.entries)
    assert won == 100 * len(places)


@given(fields, matters, st.integers(0, 9_999))
@settings(max_examples=25, deadline=None)
def test_with_exclusions_and_pauses(
    field: tuple[str, int, int], given_: dict[str, Any], seed: int
) -> None:
    """Whoever is excluded at whatever moment loses; whatever is paused goes on."""
    kind, seats, sides = field
    players = sides * seats // 2
    manager = Manager(structure(kind, seats, **given_), players, deal, seed)
    manager.start()
    excluded: list[int] = []
    while manager.state.phase is Phase.RUNNING:
        what = manager.chance.randrange(30)
        if what == 0 and not manager.state.paused:
            manager.ask(a.PauseTournament())
        elif what == 1 and len(excluded) < 4:
            entry = manager.chance.randrange(players)
            if manager.may(a.Disqualify(f"p{entry}", "why"), "ALREADY_OUT", "LAST_ONE"):
                excluded.append(entry)
        elif not manager.step() or what == 2:
            assert manager.may(a.ResumeTournament(), "NOT_PAUSED", "NOT_RUNNING") or what == 2
    manager.run()
    places = manager.finished()
    assert all(manager.state.entries[entry].won == 0 for entry in excluded)
    assert all(places[entry] > 1 for entry in excluded)


def strongest(manager: Manager, order: o.StartHand) -> a.HandEnded:
    """The entry with the lowest number always wins at once: 21 to its opponent's number."""
    seats = manager.state.tables[order.table].seats
    numbers = [seat.entry for seat in seats]
    results = tuple(
        a.SeatResult(at, 0, 21, 1) if number == min(numbers) else a.SeatResult(at, 0, number)
        for at, number in enumerate(numbers)
    )
    return a.HandEnded(order.table, order.hand, results, dealer=0, over=True)


@pytest.mark.parametrize("kind", KINDS)
def test_who_always_wins_comes_first(kind: str) -> None:
    """Whoever deals first in whatever game: a point is his who made it."""
    manager = Manager(structure(kind, best_of=3), 6, strongest, 1)
    manager.start()
    manager.run()
    play = play_of(manager.state)
    for match in play.matches:
        first, second = (play.sides[side].entries[0] for side in match.pair)
        better = 0 if first < second else 1
        assert [game.winner for game in match.games] == [better, better]
        points = (21, second) if better == 0 else (first, 21)
        assert all(game.points == points for game in match.games)
    places = manager.finished()
    assert places[0] == 1
    assert kind != "all_play_all" or places == sorted(places)


def test_a_level_match_of_a_knock_out_is_the_better_lots() -> None:
    """All games drawn, four to four: three are played, then the lot decides."""

    def drawn(manager: Manager, order: o.StartHand) -> a.HandEnded:
        results = (a.SeatResult(0, 0, 4), a.SeatResult(1, 0, 4))
        return a.HandEnded(order.table, order.hand, results, dealer=0, over=True)

    manager = Manager(structure("knock_out"), 4, drawn, 3)
    manager.start()
    manager.run()
    play = play_of(manager.state)
    assert [len(match.games) for match in play.matches] == [3, 3, 3]
    assert [match.winner for match in play.matches] == [min(match.pair) for match in play.matches]


@pytest.mark.parametrize("kind", KINDS)
def test_excluded_between_the_last_deal_and_the_closing_of_the_table(kind: str) -> None:
    """The match stays won, but in a knock-out the other one goes on."""
    manager = Manager(structure(kind), 2, strongest, 1)
    manager.start()
    manager.step()
    manager.step()
    assert manager.made(m.GameEnded)
    manager.ask(a.Disqualify("p0", "why"))
    manager.run()
    (ended,) = manager.made(m.MatchEnded)
    assert isinstance(ended, m.MatchEnded)
    assert ended.played == (kind != "knock_out")
    play = play_of(manager.state)
    assert play.sides[play.side_of[0]].points == (2 if ended.played else 0)
    assert manager.finished() == [2, 1]


def test_the_deal_that_runs_does_not_count_when_a_side_is_excluded() -> None:
    manager = Manager(structure("knock_out"), 2, strongest, 1)
    manager.start()
    manager.ask(a.TableReady(0))
    manager.ask(a.Disqualify("p0", "why"))
    manager.run()
    assert manager.made(m.GameEnded) == []
    (ended,) = manager.made(m.MatchEnded)
    assert isinstance(ended, m.MatchEnded)
    assert not ended.played
    assert manager.finished() == [2, 1]


@given(st.integers(2, 9), st.booleans(), st.integers(0, 99))
@settings(max_examples=6, deadline=None)
def test_tables_of_a_round(sides: int, duplicate: bool, seed: int) -> None:
    """Who deals first sits first; with duplicate packs all tables of a round wait for the last."""
    kind = structure("all_play_all", 2, best_of=3, duplicate=duplicate)
    manager = Manager(kind, sides, deal, seed)
    manager.start()
    closed: dict[int, int] = {}
    while manager.step():
        for table in range(len(manager.state.tables)):
            if not manager.state.standing >> table & 1:
                closed.setdefault(table, play_of(manager.state).round)
    play = play_of(manager.state)
    packs: defaultdict[str, set[int]] = defaultdict(set)
    begun: Counter[int] = Counter()
    for number, event in enumerate(cast("list[m.GameBegan]", manager.made(m.GameBegan))):
        opened = manager.opened[event.table]
        match = play.matches[event.match]
        assert dict(opened.options) == {"players": "2", "first_dealer": "0"}
        first = play.side_of[opened.seats[0].entry]
        assert first == match.pair[begun[event.match] % 2]
        begun[event.match] += 1
        assert event.table == number
        expected = f"round {match.round} game {begun[event.match]}" if duplicate else ""
        assert opened.packs == expected
        packs[opened.packs].add(event.table)
    if duplicate:
        assert max(map(len, packs.values())) == sides // 2
    assert begun == {n: len(match.games) for n, match in enumerate(play.matches)}


def test_duplicate_tables_stay_until_the_last_is_done() -> None:
    manager = Manager(structure("swiss", 2, duplicate=True, rounds=1), 8, deal, 5)
    manager.start()
    while not any(event for event in manager.made(m.MatchEnded)):
        manager.step()
    assert manager.state.standing.bit_count() == 4
    while len(manager.made(m.MatchEnded)) < 4:
        assert not manager.state.breaking
        manager.step()
    manager.run()
    manager.finished()


def test_partners_take_turns_at_the_first_deal() -> None:
    """Best of four: each of the four deals first in one game."""
    kind = structure("swiss", 4, best_of=4, rounds=1)
    manager = Manager(kind, 4, lambda manager, order: deal(manager, order, drawn=1.0), 1)
    manager.start()
    manager.run()
    first = [manager.opened[table].seats[0].entry for table in range(4)]
    assert sorted(first) == [0, 1, 2, 3]
    seats = [[sitting.entry for sitting in manager.opened[table].seats] for table in range(4)]
    partners = {frozenset(pair) for pair in sides_of(manager)}
    assert all(frozenset(seat[::2]) in partners for seat in seats)


def test_swiss_never_repeats_and_halves_the_field() -> None:
    manager = Manager(structure("swiss"), 16, deal, 3)
    manager.start()
    manager.run()
    rounds = cast("list[m.RoundPaired]", manager.made(m.RoundPaired))
    assert len(rounds) == 4
    met = Counter(frozenset(pair) for one in rounds for pair in one.pairs)
    assert set(met.values()) == {1}


def test_all_play_all_everybody() -> None:
    manager = Manager(structure("all_play_all", cycles=2), 7, deal, 3)
    manager.start()
    manager.run()
    rounds = cast("list[m.RoundPaired]", manager.made(m.RoundPaired))
    met = Counter(frozenset(pair) for one in rounds for pair in one.pairs)
    assert len(rounds) == 14
    assert set(met.values()) == {2}
    assert len(met) == 21


@pytest.mark.parametrize("losses", [1, 2])
def test_knock_out_matches(losses: int) -> None:
    manager = Manager(structure("knock_out", losses=losses), 13, deal, 3)
    manager.start()
    manager.run()
    places = manager.finished()
    lost: Counter[int] = Counter()
    play = play_of(manager.state)
    for match in play.matches:
        lost[sum(match.pair) - match.winner] += 1
    champion = play.side_of[places.index(1)]
    assert lost[champion] < losses
    assert all(lost[side] == losses for side in range(13) if side != champion)


def test_a_side_excluded_early_counts_for_nobody() -> None:
    """All-play-all of five: who beat the one that left after one match gains nothing by it."""
    manager = Manager(structure("all_play_all"), 5, deal, 11)
    manager.start()
    while play_of(manager.state).round < 2:
        manager.step()
    play = play_of(manager.state)
    gone = next(n for n, side in enumerate(play.sides) if sum(o.played for o in side.outcomes) == 1)
    entry = play.sides[gone].entries[0]
    manager.ask(a.Disqualify(f"p{entry}", "left"))
    manager.run()
    manager.finished()
    play = play_of(manager.state)
    among = [
        (sum(o.points for o in side.outcomes if o.opponent != gone), n)
        for n, side in enumerate(play.sides)
        if n != gone
    ]
    scores = {
        row.entry: row.score for row in format_of(manager.state.structure).standings(manager.state)
    }
    assert all(scores[play.sides[n].entries[0]] == points for points, n in among)
    best = max(points for points, _ in among)
    champion = play.side_of[manager.finished().index(1)]
    assert (best, champion) in among


def test_a_loss_to_a_side_that_left_early_is_no_loss() -> None:
    """Entry 0 beats one and leaves; all others draw four to four: the lots decide among them."""

    def play(manager: Manager, order: o.StartHand) -> a.HandEnded:
        entries = [seat.entry for seat in manager.state.tables[order.table].seats]
        results = tuple(
            a.SeatResult(at, 0, 21 if entry == 0 else 4, int(entry == 0))
            for at, entry in enumerate(entries)
        )
        return a.HandEnded(order.table, order.hand, results, dealer=0, over=True)

    checked = 0
    for seed in range(6):
        manager = Manager(structure("all_play_all"), 5, play, seed)
        manager.start()
        while play_of(manager.state).round < 2:
            manager.step()
        side = play_of(manager.state).sides[play_of(manager.state).side_of[0]]
        manager.ask(a.Disqualify("p0", "left"))
        manager.run()
        places = manager.finished()
        others = [entries[0] for entries in sides_of(manager) if entries != (0,)]
        assert [places[entry] for entry in others] == [1, 2, 3, 4]
        checked += side.outcomes[0].played
    assert checked, "it had played a match in one of these"


def test_cancelled_by_points() -> None:
    """A cancelled Swiss: half of the pool equally, half by points."""
    manager = Manager(structure("swiss"), 4, lambda m, o: deal(m, o, drawn=0.0), 2)
    manager.start()
    while play_of(manager.state).round < 2:
        manager.step()
    points = {entry: side.points for side in play_of(manager.state).sides for entry in side.entries}
    manager.ask(a.CancelTournament("fire"))
    manager.run()
    assert manager.state.phase is Phase.CANCELLED
    got = {number: entry.due for number, entry in enumerate(manager.state.entries)}
    assert set(points.values()) == {0, 2}
    assert manager.state.money.paid == 440
    assert got == dict.fromkeys(range(4), 0)
