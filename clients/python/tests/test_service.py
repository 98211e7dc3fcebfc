"""At a real service: bots of every game, lost answers, cut watches, refusals."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from itertools import takewhile
from pathlib import Path

import pytest

import bot
import kartejo_client as k
from kartejo_client.pb import account_service_pb2 as account_pb
from kartejo_client.pb import game_service_pb2 as game_pb
from kartejo_client.pb import replay_service_pb2 as replay_pb
from kartejo_client.pb import table_service_pb2 as pb

SOURCE = Path(k.__file__).parents[1]
STEP = k.action("royal_flush", "auto_play", scope="step")


def wait_until(holds: Callable[[], bool]) -> None:
    """Look again until it holds; the test's time is the limit."""
    while not holds():
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("game", "options", "seats"),
    [
        ("palace_poker", {"betting_structure": "no_limit"}, 3),
        ("pontoon", {"min_players_to_start": "3"}, 3),
        ("royal_casino", {}, 2),
        ("royal_flush", {}, 1),
    ],
)
def test_bots_play_a_whole_hand(ann, address, tokens, game, options, seats) -> None:
    table_id = ann.create_table(game, options).table.table_id

    def play(seat: int) -> int:
        with k.Client(address, tokens[seat]) as client:
            return bot.play(client, table_id, seat, 500, 1)

    with ThreadPoolExecutor(seats) as threads:
        playing = [threads.submit(play, seat) for seat in range(seats)]
        if seats > 1:
            wait_until(lambda: len(ann.get_table(table_id).table.seats) == seats)
            ann.start_hand(table_id)
            if game == "royal_casino":  # that was the game of several deals
                ann.start_hand(table_id)
        answered = sum(each.result() for each in playing)
    assert answered > 0
    hands = ann.call(ann.replays.ListHands, replay_pb.ListHandsRequest(table_id=table_id)).hands
    assert [hand.over for hand in hands] == [True]
    assert not ann.get_table(table_id).table.seats


def solitaire(client: k.Client) -> pb.TableState:
    """A table at which the client's player sits alone, its game begun."""
    table_id = client.create_table("royal_flush").table.table_id
    client.take_seat(table_id, 0)
    return client.start_hand(table_id).state


def moved(client: k.Client, state: pb.TableState) -> pb.TableState:
    """The state after another move; a new game where one is over."""
    if not k.is_asked(state, 0):
        return client.start_hand(state.table_id).state
    return client.act(state, 0, STEP).state


def told(news: Iterable[pb.WatchTableResponse]) -> list[tuple[int, tuple[bytes, ...]]]:
    """The messages that hold events: version, events."""
    return [
        (each.version, tuple(event.SerializeToString(deterministic=True) for event in each.events))
        for each in news
        if each.events
    ]


def past(client: k.Client, table_id: str) -> list[pb.WatchTableResponse]:
    """All that is stored of a table."""
    with closing(client.watch_table(table_id)) as watch:
        return list(takewhile(lambda news: not news.live, watch))


def test_a_cut_watch_goes_on_without_gap_or_repetition(ann, line, tokens) -> None:
    state = solitaire(ann)
    seen = []
    with (
        k.Client(line.address, tokens[0]) as client,
        closing(client.watch_table(state.table_id)) as watch,
    ):
        for cut in range(8):
            state = moved(ann, state)
            if cut % 2:
                line.cut()
            for news in watch:
                seen.append(news)
                if news.version == state.version and news.HasField("state"):
                    break
    assert told(seen) == told(past(ann, state.table_id))
    assert len(seen) > len(told(seen))  # how things stand is told after each interruption
    assert seen[-1].state.version == state.version


def test_it_goes_on_for_those_who_await_it_too(ann, line, tokens) -> None:
    async def scenario() -> None:
        state = solitaire(ann)
        seen = []
        async with (
            k.AsyncClient(line.address, tokens[0]) as client,
            aclosing(client.watch_table(state.table_id)) as watch,
        ):
            async for news in watch:
                seen.append(news)
                if news.version < state.version or not news.HasField("state"):
                    continue
                if len(seen) > 12:
                    break
                if k.is_asked(state, 0):
                    state = (await client.act(state, 0, STEP)).state
                else:
                    state = (await client.start_hand(state.table_id)).state
                line.cut()
        assert told(seen) == told(past(ann, state.table_id))

    asyncio.run(scenario())


def test_a_lost_answer_is_asked_for_again_and_nothing_happens_twice(ann, line, tokens) -> None:
    state = solitaire(ann)
    patience = k.Patience(call=1, total=60)
    with k.Client(line.address, tokens[0], patience=patience) as client:
        client.get_table(state.table_id)
        with ThreadPoolExecutor(1) as threads:
            line.is_dumb = True
            answer = threads.submit(moved, client, state)
            wait_until(lambda: ann.get_table(state.table_id).state.version > state.version)
            line.is_dumb = False
            line.cut()
            after = answer.result()
    assert after.version == ann.get_table(state.table_id).state.version
    assert past(ann, state.table_id)[-1].version == after.version


NOBODY = "00000000-0000-0000-0000-000000000000"
PLAYS = pb.ListPlaysRequest(table_id=NOBODY, limit=-1)
GIFT = account_pb.CreditAccountRequest(owner={"player": NOBODY}, amount=5, note="a present")


def at(table_id: str, decision: int) -> pb.TableState:
    """A state that awaits a decision of hand 1."""
    state = pb.TableState(table_id=table_id)
    state.decision.hand, state.decision.number = 1, decision
    return state


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda c, t: c.start_hand(t), k.Refused, {"reason": "WRONG_PHASE"}),
        (lambda c, t: c.act(at(t, 77), 0, STEP), k.Conflict, {"reason": "STALE_DECISION"}),
        (lambda c, t: c.get_table(NOBODY), k.NotFound, {"code": "NOT_FOUND"}),
        (
            lambda c, t: c.create_table("royal_flush", {"target_mode": "best"}),
            k.Refused,
            {"reason": "INVALID_OPTIONS"},
        ),
        (lambda c, t: c.call(c.tables.ListPlays, PLAYS), k.InvalidRequest, {"field": "limit"}),
        (
            lambda c, t: c.call(c.accounts.CreditAccount, GIFT),
            k.Denied,
            {"code": "PERMISSION_DENIED"},
        ),
        (lambda c, t: c.get_table("x" * 70_000), k.Exhausted, {"retry_seconds": None}),
        (lambda c, t: next(c.watch_table(NOBODY)), k.NotFound, {"code": "NOT_FOUND"}),
    ],
)
def test_failures_are_exceptions_that_say_why(ann, call, kind, says) -> None:
    table_id = solitaire(ann).table_id
    before = ann.get_table(table_id).state
    with pytest.raises(kind) as failed:
        call(ann, table_id)
    assert {name: getattr(failed.value, name) for name in says} == says
    after = ann.get_table(table_id).state
    assert (after.version, after.text) == (before.version, before.text)


def test_a_request_id_stands_for_one_request(ann) -> None:
    state = solitaire(ann)
    request_id = k.new_request_id()
    first = ann.act(state, 0, STEP, request_id)
    again = ann.act(state, 0, STEP, request_id)
    assert list(again.events) == list(first.events)
    assert again.state.text == first.state.text
    with pytest.raises(k.RequestIdReused):
        ann.act(state, 0, k.action("royal_flush", "abandon_game"), request_id)
    assert ann.get_table(state.table_id).state.version == first.state.version


def test_a_token_is_asked_for_at_every_attempt(address, tokens) -> None:
    given = iter(["not a token", tokens[0]])
    with k.Client(address, lambda: next(given)) as client:
        with pytest.raises(k.Unauthenticated):
            client.call(client.games.ListGames, game_pb.ListGamesRequest())
        assert client.call(client.games.ListGames, game_pb.ListGamesRequest()).games


def test_nobody_there_is_told_when_patience_ends(nowhere) -> None:
    patience = k.Patience(call=1, total=0.3)
    with k.Client(nowhere, patience=patience) as client:
        with pytest.raises(k.Unavailable):
            client.get_table("any")
        with pytest.raises(k.Unavailable):
            next(client.watch_table("any"))


def test_a_closed_client_gives_up_at_once(nowhere) -> None:
    client = k.Client(nowhere)
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(client.get_table, "any")
        client.close()
        assert isinstance(answer.exception(timeout=30), (k.Unavailable, ValueError))


def test_it_brings_nothing_of_the_service() -> None:
    listed = "import sys, kartejo_client; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", listed], cwd=SOURCE, capture_output=True, text=True, check=True
    )
    assert not {"service", "engine", "psycopg", "cffi"} & set(done.stdout.split())
