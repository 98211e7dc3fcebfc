"""A recorded table exports as a script that reproduces it event for event (hand_script 2.4)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import strategies as st

from engine.actions import Action, AddChips, CloseTable, LeaveSeat, OpenTable, TakeSeat, TimeOut
from engine.cards import PACK
from engine.errors import Refused
from engine.events import DeckShuffled, EpochOpened, PositionSet, TableOpened
from engine.games import GAMES
from engine.kernel import HOST, AnyGame, Cards, Limit, Range, Words
from engine.script import LocalStage, Recorded, ScriptedShuffler, export, parse, run_text
from engine.script.runner import _finish, run
from engine.visibility import OBSERVER, SERVER, Private, redact
from tests.examples import examples

ROYAL_FLUSH = GAMES["royal_flush"]
OPTIONS: list[dict[str, str]] = [
    {},
    {"gather_style": "turn_piles", "deal_style": "packet"},
    {"search_style": "card_by_card", "gather_style": "as_they_lie", "target_mode": "full_house"},
    {"target_mode": "named_cards", "named_cards": "Kh,2c", "on_timeout": "abandon"},
]


class RandomShuffler:
    def __init__(self, source: random.Random) -> None:
        self._source = source

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self._source.sample(pile, len(pile)))


def _parameter(limit: Limit, source: random.Random) -> Any:
    match limit:
        case Range(_, low, high):
            return source.randint(low, high)
        case Words(_, words):
            return source.choice(words)
        case Cards(_, cards, low, high):
            return tuple(source.sample(cards, source.randint(low, high)))


def _choices(game: AnyGame, state: Any, source: random.Random) -> list[tuple[int, Action]]:
    """Everything offered, and table actions that may well be refused."""
    found: list[tuple[int, Action]] = []
    for seat in range(game.seats(state)):
        for kind, limits, _ in game.legal_actions(state, seat):
            values = {limit.field: _parameter(limit, source) for limit in limits}
            found.append((seat, kind(**values)))
        rare: list[Action] = [
            TakeSeat("ann", 50),
            TakeSeat(f"p{seat}", 7),
            AddChips(source.randint(1, 9)),
            LeaveSeat(),
        ]
        found += [(seat, action) for action in rare if source.random() < 0.2]
    found += [(HOST, game.START())] * 3
    found += [(HOST, action) for action in (TimeOut(), CloseTable()) if source.random() < 0.05]
    return found


def play(game: AnyGame, options: dict[str, str], seed: int, steps: int):
    """A record of random play, the state before each of its actions, and the last one."""
    source = random.Random(seed)
    shuffler = RandomShuffler(source)
    state = game.initial()
    record: list[Recorded] = []
    states = []
    choices: list[tuple[int, Action]] = [(HOST, OpenTable(options))]
    while len(record) < steps and not game.is_closed(state):
        choices = choices or _choices(game, state, source)
        actor, action = choices.pop(source.randrange(len(choices)))
        try:
            events, after = game.decide(state, actor, action, shuffler)
        except Refused:
            continue
        record.append(Recorded(actor, action, events))
        states.append(state)
        state = after
        choices = []
    return record, states, state


def replayed(text: str) -> list[tuple[Any, ...]]:
    """The events of each step of a script, played anew; every check of it must hold."""
    [script] = parse(text, "exported.hand")
    stage = LocalStage(script.header.game)
    found: list[tuple[Any, ...]] = []
    act = stage.act

    async def recording_act(actor: int, action: Action):
        found.append(await act(actor, action))
        return found[-1]

    stage.act = recording_act  # type: ignore[method-assign]
    _finish(run(script, stage))
    return found


@examples(15, 60, st.sampled_from(OPTIONS), st.integers(0, 2**32), st.integers(1, 40))
def test_random_play_exports_and_runs_again_with_the_same_events(options, seed, steps):
    """From the first commit of a table on."""
    record, *_ = play(ROYAL_FLUSH, options, seed, steps)
    text = export(ROYAL_FLUSH, record, title="random play")
    assert replayed(text) == [events for _, _, events in record]


@examples(15, 60, st.sampled_from(OPTIONS), st.integers(0, 2**32), st.data())
def test_a_hand_exports_from_the_position_it_began_in(options, seed, data):
    """From any commit on: the position before it stands in given: lines."""
    record, states, after = play(ROYAL_FLUSH, options, seed, 30)
    start = data.draw(st.integers(1, len(record) - 1)) if len(record) > 1 else 1
    opened = record[0].events[0]
    assert isinstance(opened, TableOpened)
    text = export(
        ROYAL_FLUSH,
        record[start:],
        before=[*states, after][start],
        options=opened.options,
        title="cut",
    )
    assert replayed(text) == [events for _, _, events in record[start:]]


def test_a_changed_event_is_noticed():
    """The exported checks bite: any other deck is another game."""
    record, *_ = play(ROYAL_FLUSH, {}, 7, 12)
    text = export(ROYAL_FLUSH, record)
    lines = text.splitlines()
    deck = next(i for i, line in enumerate(lines) if line.startswith("deck:"))
    cards = lines[deck].split()[1:]
    lines[deck] = "deck: " + " ".join([cards[1], cards[0], *cards[2:]])
    [verdict] = run_text("\n".join(lines), "x.hand")
    assert verdict.failure is not None


def test_a_shuffle_that_the_reader_does_not_know_cannot_be_exported():
    """A player cannot write a running game as a script: the deck is not his to see."""
    record, *_ = play(ROYAL_FLUSH, {}, 7, 12)
    seen = [
        Recorded(actor, action, tuple(redact(event, OBSERVER) for event in events))
        for actor, action, events in record
    ]
    assert any(isinstance(event, DeckShuffled) for _, _, events in seen for event in events)
    with pytest.raises(ValueError, match="not known to this reader"):
        export(ROYAL_FLUSH, seen)


def test_events_of_the_house_are_left_out():
    """Scripts do not see them; a position set on the way cannot be a step."""
    record, *_ = play(ROYAL_FLUSH, {}, 7, 12)
    first = record[0]
    epoch = EpochOpened(1, bytes(32), Private(b"secret", SERVER))
    with_epoch = [first._replace(events=(*first.events, epoch)), *record[1:]]
    assert export(ROYAL_FLUSH, with_epoch) == export(ROYAL_FLUSH, record)
    with_position = [
        first._replace(events=(*first.events, PositionSet(Private("phase LOBBY", SERVER))))
    ]
    with pytest.raises(ValueError, match="position was set"):
        export(ROYAL_FLUSH, with_position)


@pytest.mark.parametrize("player", ["two words", "hash#tag"])
def test_texts_that_a_script_cannot_hold_are_refused(player):
    """Better no script than one that says something else."""
    opened, state = ROYAL_FLUSH.decide(ROYAL_FLUSH.initial(), HOST, OpenTable(), ScriptedShuffler())
    action = TakeSeat(player, 5)
    seated, _ = ROYAL_FLUSH.decide(state, 0, action, ScriptedShuffler())
    record = [Recorded(HOST, OpenTable(), opened), Recorded(0, action, seated)]
    with pytest.raises(ValueError, match="cannot hold"):
        export(ROYAL_FLUSH, record)


def test_the_text_of_an_export():
    """The form itself, small enough to read."""
    opened, state = ROYAL_FLUSH.decide(
        ROYAL_FLUSH.initial(), HOST, OpenTable({"on_timeout": "abandon"}), ScriptedShuffler()
    )
    seated, state = ROYAL_FLUSH.decide(state, 0, TakeSeat("ann", 5), ScriptedShuffler())
    action = ROYAL_FLUSH.START()
    started, _ = ROYAL_FLUSH.decide(state, HOST, action, ScriptedShuffler([PACK[::-1]]))
    [position] = opened
    assert isinstance(position, TableOpened)
    text = export(
        ROYAL_FLUSH,
        [Recorded(HOST, action, started)],
        before=state,
        options=position.options,
        title="a start",
    )
    head, tail = text.split("deck: As Ks Qs")
    assert head == (
        "# a start\n"
        "game: royal_flush\n"
        "opts: on_timeout=abandon\n"
        "given: phase LOBBY\n"
        "given: players 0=ann\n"
        "given: stacks 0=5\n"
    )
    assert "\n\nhost: start_game\n>> GameStarted DeckShuffled\n> GameStarted game_no=1\n" in tail
    assert seated
