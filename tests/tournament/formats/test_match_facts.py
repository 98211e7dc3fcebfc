"""Royal Casino: pairs, first deals and places follow from the facts before them."""

from __future__ import annotations

import pytest

from engine.events import Event
from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.formats import match_events as m
from engine.tournament.pairing.deals import Dealer, first_to_deal
from engine.tournament.pairing.ranking import ALL_PLAY_ALL, SWISS, Encounter, rank
from engine.tournament.pairing.rounds import Pair
from engine.tournament.pairing.swiss import Standing, pair_round
from tests.tournament.formats.manager import Manager
from tests.tournament.formats.test_matches import KINDS, deal, structure


class Ledger:
    """What anybody can compute from the facts alone, kept another way than the format does."""

    def __init__(self, manager: Manager) -> None:
        self.kind = manager.state.structure.format
        self.sides: list[tuple[int, ...]] = []
        self.pairs: list[Pair] = []
        self.byes: list[int] = []
        self.results: dict[int, m.MatchEnded] = {}
        self.dealt: set[int] = set()
        self.out: dict[int, int] = {}
        for event in manager.events:
            self._read(event)

    def _read(self, event: Event) -> None:
        match event:
            case m.SidesDrawn(size, entries):
                self.sides = [entries[at : at + size] for at in range(0, len(entries), size)]
            case m.RoundPaired():
                self._check_round(event)
                self.pairs += event.pairs
                self.byes += [event.bye] if event.bye >= 0 else []
            case m.GameEnded(number):
                self.dealt.add(number)
            case m.MatchEnded(number):
                self.results[number] = event
            case e.EntryOut(entry):
                self.out.setdefault(self.side_of(entry), len(self.results))

    def side_of(self, entry: int) -> int:
        return next(n for n, entries in enumerate(self.sides) if entry in entries)

    def matches(self, side: int) -> list[tuple[int, int, m.MatchEnded]]:
        """Opponent, own place in the pair, result."""
        return [
            (sum(pair) - side, pair.index(side), self.results[n])
            for n, pair in enumerate(self.pairs)
            if side in pair
        ]

    def dealt_first(self, side: int) -> tuple[bool, ...]:
        return tuple(
            pair.first == side
            for n, pair in enumerate(self.pairs)
            if side in pair and n in self.dealt
        )

    def encounters(self, side: int, without: set[int]) -> list[Encounter]:
        mine = [
            Encounter(
                opponent if result.played or self.kind == "all_play_all" else None,
                1 if result.winner < 0 else 2 * (result.winner == at),
                -result.difference if at else result.difference,
            )
            for opponent, at, result in self.matches(side)
            if opponent not in without
        ]
        bye = Encounter(None, 2 if self.kind == "swiss" else 0)
        return mine + [bye] * self.byes.count(side)

    def _check_round(self, event: m.RoundPaired) -> None:
        """The pairs follow from the facts before them."""
        there = [side for side in range(len(self.sides)) if side not in self.out]
        if self.kind == "swiss":
            standings = [
                Standing(
                    side,
                    sum(one.points for one in self.encounters(side, set())),
                    side,
                    frozenset(opponent for opponent, _, _ in self.matches(side)),
                    self.dealt_first(side),
                    side in self.byes,
                )
                for side in there
            ]
            again = pair_round(standings)
            assert again == (event.pairs, None if event.bye < 0 else event.bye)
        elif self.kind == "knock_out":
            for pair in event.pairs:
                dealers = [Dealer(side, side, self.dealt_first(side)) for side in sorted(pair)]
                assert pair == first_to_deal(*dealers)

    def check_places(self, places: list[int]) -> None:
        """The places of those who stayed follow from the results."""
        stayed = [side for side in range(len(self.sides)) if self.out[side] == len(self.results)]
        if self.kind == "knock_out":
            return
        matches = len(self.matches(0)) if self.kind == "all_play_all" else 0
        annulled = {
            side
            for side in self.out
            if side not in stayed and 2 * sum(r.played for _, _, r in self.matches(side)) < matches
        }
        ranked = stayed if self.kind == "all_play_all" else list(range(len(self.sides)))
        criteria = ALL_PLAY_ALL if self.kind == "all_play_all" else SWISS
        played = {side: self.encounters(side, annulled) for side in ranked}
        lines = rank(played, {side: side for side in ranked}, criteria)
        order = [line.entrant for line in lines if line.entrant in stayed]
        size = len(self.sides[0])
        assert [places[self.sides[side][0]] for side in order] == [
            1 + at * size for at in range(len(order))
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_everything_follows_from_the_facts(kind: str) -> None:
    """Pairs, first deals and places, also where sides are excluded."""
    for seed in range(10):
        manager = Manager(structure(kind, best_of=2), 7, deal, seed)
        manager.start()
        for _ in range(3 if seed % 3 else 0):
            for _ in range(manager.chance.randrange(60)):
                manager.step()
            player = f"p{manager.chance.randrange(7)}"
            manager.may(a.Disqualify(player, "why"), "ALREADY_OUT", "NOT_RUNNING", "LAST_ONE")
        manager.run()
        ledger = Ledger(manager)
        ledger.check_places(manager.finished())
        for before, (number, result) in enumerate(ledger.results.items()):
            there = [side for side in ledger.pairs[number] if ledger.out[side] > before]
            assert result.played or len(there) < 2
            if not result.played and there:
                assert ledger.pairs[number][result.winner] == there[0]
