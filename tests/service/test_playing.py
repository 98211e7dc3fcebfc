"""The main job: a client makes a table, sits down, acts, and everything is stored."""

from __future__ import annotations

from uuid import uuid4

import grpc

from engine.actions import AddChips, LeaveSeat, TakeSeat
from engine.games.royal_flush.actions import AutoPlay, DealPiles, GatherPiles, SearchPile
from service.pb import game_service_pb2, replay_service_pb2
from service.pb import table_service_pb2 as pb
from tests.service.harness import ALL_GAMES, Running, decoded, failing, names, run, running


async def seated(service: Running, subject: str = "ann", **fields: object):
    ann = service.client(subject)
    made = await ann.create("royal_flush", **fields)
    table = made.table.table_id
    await ann.act(table, 0, TakeSeat("", 100))
    return ann, table


def test_a_whole_game_of_royal_flush_through_the_service(dsn):
    """24 steps after the start (royal_flush 5.3), each answered with view and offers."""

    async def scenario():
        async with running(dsn) as service:
            ann, table = await seated(service)
            state = (await ann.start(table)).state
            assert state.text.startswith("phase DEAL")
            steps = 0
            while state.decision.hand:
                offer = state.offers[0]
                action = {
                    "deal_piles": DealPiles(),
                    "search_pile": SearchPile(offer.limits[0].range.low if offer.limits else None),
                    "gather_piles": GatherPiles(),
                }[offer.action]
                state = (await ann.act(table, 0, action, state)).state
                steps += 1
            assert steps == 24
            assert "phase GAME_OVER" in state.text
            hand = ann.replay.ReplayHand(
                replay_service_pb2.ReplayHandRequest(table_id=table, hand=1),
                metadata=ann.metadata,
            )
            replayed = [step async for step in hand]
            assert len(replayed) == 25
            assert replayed[-1].state.text == state.text
            assert [step.action for step in replayed[:3]] == [
                "start_game",
                "deal_piles",
                "search_pile",
            ]
            hands = await ann.call(
                ann.replay.ListHands, replay_service_pb2.ListHandsRequest(table_id=table)
            )
            assert [row.hand for row in hands.hands] == [1]

    run(scenario())


def test_a_restarted_service_stands_where_it_stood(dsn):
    """State is always rebuilt by replay."""

    async def scenario():
        async with running(dsn) as service:
            ann, table = await seated(service)
            started = await ann.start(table)
            played = await ann.act(table, 0, AutoPlay("round"), started.state)
        async with running(dsn) as service:
            bob = service.client("bob")
            again = await bob.get(table)
            assert again.state.text == played.state.text
            assert again.state.version == played.state.version
            assert not again.state.offers

    run(scenario())


def test_a_watcher_gets_every_event_once_and_resumes(dsn):
    """Resume by version: nothing twice, nothing left out (design 7)."""

    async def scenario():
        async with running(dsn) as service:
            ann, table = await seated(service)
            state = (await ann.start(table)).state
            state = (await ann.act(table, 0, AutoPlay("round"), state)).state
            bob = service.client("bob")
            first = await bob.watched(table)
            assert first[-1].live
            assert not first[-1].events
            assert first[-1].state.text == state.text
            middle = first[2].version
            state = (await ann.act(table, 0, AutoPlay("game"), state)).state
            rest = await bob.watched(table, after=middle)
            everything = await bob.watched(table)
            versions = [event.version for message in everything for event in message.events]
            assert versions == list(range(1, state.version + 1))
            resumed = [event for message in rest for event in message.events]
            assert resumed == [e for m in everything for e in m.events if e.version > middle]
            wrong = await failing(bob.watched(table, after=state.version + 1))
            assert (wrong.code, wrong.field) == (
                grpc.StatusCode.INVALID_ARGUMENT,
                "after_version",
            )

    run(scenario())


def test_the_same_request_takes_effect_once(dsn):
    """Repeats are answered alike, also after a restart; other content is refused."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            request = uuid4().hex
            one = await ann.create("royal_flush", request_id=request)
            two = await ann.create("royal_flush", request_id=request)
            assert one.table.table_id == two.table.table_id
            other = await failing(
                ann.create("royal_flush", request_id=request, options={"deal_style": "packet"})
            )
            assert (other.code, other.reason) == (
                grpc.StatusCode.ALREADY_EXISTS,
                "REQUEST_ID_REUSED",
            )
            table = one.table.table_id
            await ann.act(table, 0, TakeSeat("", 5))
            first = await ann.act(table, 0, AddChips(7), request_id="r")
            start = await ann.start(table)
            dealt = await ann.act(table, 0, DealPiles(), start.state, request_id="deal")
            repeat = await ann.act(table, 0, DealPiles(), start.state, request_id="deal")
            assert repeat.events == dealt.events
            assert repeat.state.text == dealt.state.text
        async with running(dsn) as service:
            # Tokens are of another ring here, but the subject is the same person.
            ann = service.client("ann")
            again = await ann.act(table, 0, AddChips(7), request_id="r")
            assert again.events == first.events
            assert again.state.text == first.state.text
            reused = await failing(ann.act(table, 0, AddChips(8), request_id="r"))
            assert reused.reason == "REQUEST_ID_REUSED"
            assert (await ann.get(table)).state.view.royal_flush.chips == 12

    run(scenario())


def test_the_play_stream_means_what_the_unary_calls_mean(dsn):
    """Many requests and watches on one stream."""

    async def scenario():
        async with running(dsn) as service:
            ann, table = await seated(service)
            _, second = await seated(service, subject="ann2")
            stream = ann.tables.Play(metadata=ann.metadata)
            await stream.write(pb.PlayRequest(watch=pb.PlayRequest.Watch(table_id=table)))
            await stream.write(
                pb.PlayRequest(start=pb.StartHandRequest(request_id="s", table_id=table))
            )
            await stream.write(
                pb.PlayRequest(start=pb.StartHandRequest(request_id="t", table_id=second))
            )
            seen: list[int] = []
            started = failed = None
            while started is None or failed is None or len(seen) < 6:
                answer = await stream.read()
                kind = answer.WhichOneof("response")
                if kind == "started":
                    started = answer.started
                elif kind == "failed":
                    failed = answer.failed
                else:
                    seen += [event.version for event in answer.news.events]
            assert seen == list(range(1, len(seen) + 1))
            assert (failed.request_id, failed.status.code) == ("t", 7)
            assert started.request_id == "s"
            assert names(started.events) == ["GameStarted", "DeckShuffled", "ShuffleCommitted"]
            await stream.done_writing()
            stream.cancel()

    run(scenario())


def test_leaving_pays_out_and_another_may_sit_down(dsn):
    """royal_flush 10.2, C4."""

    async def scenario():
        async with running(dsn) as service:
            ann, table = await seated(service)
            left = await ann.act(table, 0, LeaveSeat())
            assert decoded(left.events)[0].chips == 100
            bob = service.client("bob")
            sat = await bob.act(table, 0, TakeSeat("", 9))
            assert list(sat.state.seats) == [0]
            late = await failing(ann.act(table, 0, LeaveSeat()))
            assert late.code is grpc.StatusCode.PERMISSION_DENIED

    run(scenario())


def test_the_catalogue_lists_the_options(dsn):
    """Options with types, defaults and ranges, for any client's lobby."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            answer = await ann.call(ann.games.ListGames, game_service_pb2.ListGamesRequest())
            games = {game.game: game for game in answer.games}
            assert list(games) == sorted(ALL_GAMES)
            follows = {option.name: option for option in games["palace_poker"].options}
            assert follows["small_bet"].default_value == "10"
            assert follows["big_bet"].default_value == ""
            assert follows["max_raises"].default_value == "none"
            options = {option.name: option for option in games["royal_flush"].options}
            assert options["turn_seconds"].default_value == "30"
            assert list(options["deal_style"].words) == ["round_robin", "pile_by_pile", "packet"]

    run(scenario())
