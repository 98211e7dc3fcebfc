"""The game beside its second form, event by event and refusal by refusal (royal_casino 5–10).

Whole games with all options, scores near the target, people who come and go, and plays of which
many are nonsense: both forms say the same each time.
"""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import Any, NamedTuple

import pytest

from engine import actions as ca
from engine.cards import card_name, parse_card
from engine.errors import Refused
from engine.games.royal_casino import actions as a
from engine.games.royal_casino.events import Reason
from engine.games.royal_casino.state import State
from engine.kernel import HOST
from engine.script import ScriptedShuffler, event_text
from tests.games.royal_casino.second import Second
from tests.games.royal_casino.second_words import PACK, high
from tests.games.royal_casino.tables import GAME
from tests.games.royal_casino.test_walks import options

ACTIONS: dict[str, Any] = {
    "trail_card": a.TrailCard,
    "capture_cards": a.CaptureCards,
    "build_cards": a.BuildCards,
    "start_game": a.StartGame,
    "start_deal": a.StartDeal,
    "time_out": ca.TimeOut,
    "take_seat": ca.TakeSeat,
    "add_chips": ca.AddChips,
    "sit_out": ca.SitOut,
    "sit_in": ca.SitIn,
    "leave_seat": ca.LeaveSeat,
    "close_table": ca.CloseTable,
}
CHIPS = 50
BIGGEST = 2**63 - 1


class Try(NamedTuple):
    actor: int
    name: str
    fields: dict[str, Any]


def card_id(name: str | None) -> int | None:
    """Of a card, or of a word that is none."""
    if name is None or name in PACK:
        return name and parse_card(name)
    return 53 + ord(name[0])


def engine_action(tried: Try) -> ca.Action:
    fields = dict(tried.fields)
    if "card" in fields:
        fields["card"] = card_id(fields["card"])
    if "loose" in fields:
        fields["loose"] = tuple(map(card_id, fields["loose"]))
    if "builds" in fields:
        fields["builds"] = tuple(f"b{number}" for number in fields["builds"])
    if fields.get("base") is not None:
        fields["base"] = f"b{fields['base']}"
    return ACTIONS[tried.name](**fields)


class Pair:
    """Both forms of a table, and what came of it."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.options = options(self.rng)
        self.second = Second(self.options, CHIPS)
        self.state: State = GAME.initial()
        self.engine(HOST, ca.OpenTable(self.options), [])
        for seat in range(self.second.n):
            self.engine(seat, ca.TakeSeat(f"p{seat}", CHIPS), [])
        self.wildness = self.rng.choice([0, 0.02, 0.1])
        self.met: Counter[str] = Counter()

    def engine(self, actor: int, action: ca.Action, deck: list[str]) -> list[str] | str:
        shuffler = ScriptedShuffler([tuple(map(parse_card, deck))])
        try:
            events, self.state = GAME.decide(self.state, actor, action, shuffler)
        except Refused as no:
            return no.reason
        return [event_text(event) for event in events]

    def go(self, count: int) -> None:
        for _ in range(count):
            if self.second.phase == "BETWEEN_DEALS" and self.rng.random() < 0.5:
                self.move_scores()
            tried = self.next()
            deck = self.rng.sample(PACK, 52)
            found = self.engine(tried.actor, engine_action(tried), deck)
            expected = self.second.act(tried.actor, tried.name, deck, **tried.fields)
            assert found == expected, (self.options, tried)
            self.compare()
            told = [expected] if isinstance(expected, str) else expected
            self.met.update(word for event in told for word in reasons(event))

    def move_scores(self) -> None:
        """So that locks, ties and overtime are no rarity."""
        top, draw = self.second.target, self.rng.choice
        scores = [draw([0, *range(top - 8, top), top - 3]) for _ in self.second.scores]
        if self.options["count_order"] != "sequential" and self.rng.random() < 0.2:
            self.second.overtime = True
            scores = [draw([top, top, top + 1, top - 3]) for _ in scores]
        self.second.scores = scores
        self.state = self.state._replace(
            scores=tuple(scores), overtime=self.second.overtime or self.state.overtime
        )

    def compare(self) -> None:
        """All that matters for what comes next."""
        state, other = self.state, self.second
        assert (state.phase, state.dealer, state.deals) == (other.phase, other.dealer, other.deals)
        assert (list(state.scores), state.overtime, state.pot) == (
            *(other.scores, other.overtime, other.pot),
        )
        seats = list(enumerate(state.seats))
        assert [who and who.chips for _, who in seats] == other.stacks
        assert [who.timeouts if who else 0 for _, who in seats] == other.late
        assert {seat for seat, who in seats if who and who.out} == other.out
        assert {seat for seat, who in seats if who and who.leaving} == other.left
        deal = state.deal
        if deal is None:
            return
        assert (deal.turn, deal.built, deal.own_play) == (other.turn, other.built, other.own)
        assert (-1 if deal.last is None else deal.last) == other.last
        zones = [*deal.hands, deal.loose, *deal.piles]
        others = [*other.hands, other.loose, *other.piles]
        assert [sorted(map(card_name, zone)) for zone in zones] == list(map(sorted, others))
        assert other.builds == {
            build.number: {
                "value": build.value,
                "owner": build.owner,
                "groups": [names(group) for group in build.groups],
            }
            for build in deal.builds
        }

    # --- what is tried ----------------------------------------------------------------------

    def next(self) -> Try:
        rng, table = self.rng, self.second
        if rng.random() < self.wildness:
            return self.something()
        if table.phase in {"LOBBY", "GAME_OVER"}:
            return self.towards_a_game()
        if table.phase == "BETWEEN_DEALS":
            return Try(HOST, "start_deal", {})
        if table.phase == "CLOSED":
            return rng.choice([self.play(), self.something()])
        if rng.random() < 0.03:
            return Try(HOST, "time_out", {})
        return self.play() if rng.random() < 0.6 else self.listed()

    def something(self) -> Try:
        rng = self.rng
        seat = rng.choice([*range(self.second.n), *range(self.second.n), -2, self.second.n])
        amount = rng.choice([-1, 0, 1, 50, BIGGEST, BIGGEST - 90, BIGGEST + 1])
        dealer = rng.choice([None, 0, 1, -1, 7])
        return rng.choice(
            [
                *(Try(seat, name, {}) for name in ("sit_out", "sit_in", "sit_in", "leave_seat")),
                Try(seat, "add_chips", {"amount": amount}),
                Try(seat, "take_seat", {"player": f"p{seat}", "chips": amount}),
                Try(HOST, "start_game", {"first_dealer": dealer}),
                Try(HOST, "time_out", {}),
                Try(HOST, "start_deal", {}),
                Try(HOST, "close_table", {}),
            ]
        )

    def towards_a_game(self) -> Try:
        table = self.second
        for seat, chips in enumerate(table.stacks):
            if chips is None:
                return Try(seat, "take_seat", {"player": f"p{seat}", "chips": CHIPS})
            if seat in table.out:
                return Try(seat, "sit_in", {})
            if chips < 7:
                return Try(seat, "add_chips", {"amount": CHIPS})
        return Try(HOST, "start_game", {"first_dealer": self.rng.choice([None, 0, 1])})

    def listed(self) -> Try:
        """A legal play, of those with builds more often than not."""
        plays = GAME.listing(self.state, self.second.turn, 400).plays
        built = [play for play in plays if "=" in play.text or "b" in play.text]
        play = self.rng.choice(built if built and self.rng.randrange(2) else plays).action
        match play:
            case a.TrailCard(card):
                return self.told("trail_card", card)
            case a.CaptureCards(card, loose, builds):
                numbers = [int(name[1:]) for name in builds]
                return self.told("capture_cards", card, loose=names(loose), builds=numbers)
            case a.BuildCards(card, value, loose, base):
                number = int(base[1:]) if base else None
                return self.told("build_cards", card, value=value, loose=names(loose), base=number)
        raise AssertionError(play)

    def told(self, name: str, card: int | None, **fields: Any) -> Try:
        return Try(self.second.turn, name, {"card": card_name(card or 0), **fields})

    def play(self) -> Try:
        """An attempt, more or less sensible."""
        rng, table = self.rng, self.second
        seat = table.turn if rng.random() < 0.93 else rng.randrange(-1, table.n + 1)
        hand = table.hands[seat] if 0 <= seat < table.n else []
        card = rng.choice(hand) if hand and rng.random() < 0.97 else rng.choice([*PACK, None, "1x"])
        pool = [*table.loose, *(rng.sample([*PACK, "1x", "2y"], 3) if rng.random() < 0.08 else [])]
        loose = rng.sample(pool, min(len(pool), rng.choice([0, 0, 1, 1, 1, 2, 2, 3, 4])))
        if loose and rng.random() < 0.03:
            loose.append(loose[0])
        builds = [*table.builds, *([rng.randrange(1, 9)] if rng.random() < 0.1 else [])]
        kind = rng.choice(["trail_card", "capture_cards", "build_cards", "build_cards"])
        if kind == "trail_card":
            return Try(seat, kind, {"card": card})
        if kind == "capture_cards":
            some = rng.sample(builds, rng.randint(0, min(2, len(builds))))
            return Try(seat, kind, {"card": card, "loose": loose, "builds": some})
        values = [*map(high, hand)] * 9 + [rng.randint(0, 16), None]
        fields = {"value": rng.choice(values), "base": rng.choice([None, None, *builds])}
        return Try(seat, kind, {"card": card, "loose": loose, **fields})


def names(found: tuple[int, ...]) -> list[str]:
    return list(map(card_name, found))


def reasons(told: str) -> list[str]:
    """The event, or the refusal, and the reason that it gives."""
    return re.findall(r"^\w+|(?<= reason=)\w+", told)


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(8, 60))]
)
def test_both_forms_of_the_game_say_the_same(seed: int) -> None:
    """Events, refusals and what is remembered."""
    Pair(seed).go(400)


@pytest.mark.parametrize("tables", [25, pytest.param(60, marks=pytest.mark.long)])
def test_they_meet_what_the_rules_know(tables: int) -> None:
    """Otherwise they would prove little."""
    met: Counter[str] = Counter()
    for seed in range(1000, 1000 + tables):
        pair = Pair(seed)
        pair.go(500)
        met += pair.met
    events = {kind.__name__ for kind in GAME.EVENTS}
    plays = "NOTHING_CAPTURED BUILD_VALUE_MISMATCH SET_SUM_MISMATCH MUST_TAKE_EQUAL_CARD"
    plays += " MUST_KEEP_CAPTURE_CARD PARTNER_BUILD MULTIPLE_BUILD_FIXED OWN_BUILD_RAISE"
    plays += " BUILD_SUM_MISMATCH BUILD_TOO_SMALL NO_CAPTURE_CARD OWNS_BUILD MATCHING_LOOSE_CARD"
    common = "BAD_PARAMETER INVALID_CARD WRONG_PHASE TABLE_CLOSED NOT_SEATED NOT_YOUR_TURN"
    common += " CARD_NOT_IN_HAND CARD_IN_BUILD CARD_NOT_ON_TABLE BUILD_NOT_ON_TABLE"
    common += " ALREADY_LEAVING ALREADY_OUT NOT_OUT IN_HAND"
    assert {*events, *set(Reason), *plays.split(), *common.split()} <= met.keys()
