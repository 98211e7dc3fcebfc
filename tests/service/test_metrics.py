"""What a scrape says after known traffic: exact counts, and no label that a caller chose."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from uuid import UUID, uuid4

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from structlog.testing import capture_logs

from engine.actions import AddChips
from service.host.rates import BURST_SECONDS
from service.host.tables import Tables
from service.metrics.limits import limits_of
from service.metrics.observer import Refusals
from service.pb import table_service_pb2 as pb
from service.rpc import turns
from service.rpc.calls import Speed
from service.world import SteppedWorld
from tests.parlour.actions import Keep
from tests.service.harness import failing, run, running
from tests.service.parlour_room import Room
from tests.service.scraping import fetch, scraped
from tests.service.surfaces import read_out
from tests.service.test_clocks import until
from tests.service.test_token_life import add_chips
from tests.service.test_two_servers import two

TABLES = "kartejo.v1.TableService"


def test_calls_and_commands_are_counted_by_how_they_ended(dsn):
    """One call more, one count more: by method and reason, by game, action and outcome."""

    async def scenario():
        async with running(dsn) as service, scraped(service) as scrape:
            room = await Room.open(service)
            ann, bob = room.players
            for _ in range(3):
                await ann.act(room.table, 0, AddChips(5), request_id="again")
            await failing(ann.act(room.table, 0, AddChips(6), request_id="again"))
            await failing(ann.act(room.table, 0, AddChips(0)))
            await failing(bob.act(room.table, 0, AddChips(1)))
            await room.start()
            await failing(ann.act(room.table, 0, Keep(), hand=7, decision=7))
            await failing(ann.get(str(uuid4())))
            await failing(service.with_token(None).get(room.table))
            seen = await scrape()
            get, submit = f"{TABLES}/GetTable", f"{TABLES}/SubmitAction"
            calls = seen.labelled("calls_total")
            assert {key: value for key, value in calls.items() if key[0] in {get, submit}} == {
                (get, "NOT_FOUND"): 1,
                (get, "TOKEN_MISSING"): 1,
                (submit, "OK"): 5,  # two of them take the seats
                (submit, "REQUEST_ID_REUSED"): 1,
                (submit, "BAD_PARAMETER"): 1,
                (submit, "PERMISSION_DENIED"): 1,
                (submit, "STALE_DECISION"): 1,
            }
            assert seen("call_seconds_count", method=submit) == 9
            assert seen("call_seconds_bucket", method=submit, le="+Inf") == 9
            assert seen("call_seconds_count", method=get) == 1  # the door's refusals take no time
            assert not seen.labelled("calls_open")
            assert seen.labelled("commands_total") == {
                ("OpenTable", "parlour", "accepted"): 1,
                ("TakeSeat", "parlour", "accepted"): 2,
                ("StartHand", "parlour", "accepted"): 1,
                ("AddChips", "parlour", "accepted"): 1,
                ("AddChips", "parlour", "repeated"): 2,
                ("AddChips", "parlour", "REQUEST_ID_REUSED"): 1,
                ("AddChips", "parlour", "BAD_PARAMETER"): 1,
                ("AddChips", "parlour", "PERMISSION_DENIED"): 1,
                ("Keep", "parlour", "STALE_DECISION"): 1,
            }
            stored = await service.commits()
            assert stored == 5
            assert seen("batch_groups_sum") >= stored
            assert seen("commit_seconds_count") == 4  # all but the table's first
            assert seen("database_up") == 1
            assert seen("tables") == 1

    run(scenario())


def test_requests_on_play_are_counted_by_kind_and_outcome(dsn):
    async def scenario():
        async with running(dsn) as service, scraped(service) as scrape:
            room = await Room.open(service)
            ann = room.players[0]
            play = ann.tables.Play(metadata=ann.metadata, timeout=60)
            await play.write(pb.PlayRequest(watch={"table_id": room.table}))
            while not (await play.read()).news.live:
                pass
            wrong = add_chips(room.table)
            wrong.submit.seat = 1
            asked = [add_chips(room.table), add_chips(room.table), wrong, pb.PlayRequest()]
            for request in asked:
                await play.write(request)
            kinds = Counter([(await play.read()).WhichOneof("response") for _ in range(6)])
            assert kinds == {"submitted": 2, "failed": 2, "news": 2}
            seen = await scrape()
            assert seen("watchers") == 1
            assert seen("limit_taken", limit="play_watches") == 1
            assert seen("limit_taken", limit="streams") == 1
            assert seen("calls_open", method=f"{TABLES}/Play") == 1
            await play.write(pb.PlayRequest(unwatch={"table_id": room.table}))
            await play.done_writing()
            await read_out(play)
            seen = await scrape()
            assert seen.labelled("play_requests_total") == {
                ("OK", "watch"): 1,
                ("OK", "submit"): 2,
                ("PERMISSION_DENIED", "submit"): 1,
                ("MALFORMED", "nothing"): 1,
                ("OK", "unwatch"): 1,
            }
            assert seen("play_request_seconds_count", request="submit") == 3
            assert seen("calls_total", method=f"{TABLES}/Play", reason="OK") == 1
            assert seen("watchers") == seen("limit_taken", limit="play_watches") == 0

    run(scenario())


def test_calls_that_wait_for_their_turn_are_told(dsn, monkeypatch):
    async def scenario():
        async with (
            running(dsn, speed=Speed(of_connection=0)) as service,
            scraped(service) as scrape,
        ):
            ann = service.client("ann")
            table = (await ann.create("parlour")).table.table_id
            lines = service.server.door.calls.turns

            async def quiet() -> bool:
                return not len(lines)

            async def crowded() -> bool:
                return lines.waiting == 3

            await until(quiet)
            monkeypatch.setattr(turns, "TURN_SECONDS", 60.0)  # of turns that begin from now on
            calls = [asyncio.ensure_future(ann.get(table)) for _ in range(turns.LEAST + 3)]
            await until(crowded)
            seen = await scrape()
            assert seen("calls_waiting", line="caller") == 3
            assert seen("calls_waiting", line="connection") == 0
            lines.end()
            await asyncio.gather(*calls)
            seen = await scrape()
            assert seen("calls_waiting", line="caller") == 0

    run(scenario())


def test_no_caller_makes_labels(dsn):
    """Methods that are not there, with and without a token, odd paths, ids and texts."""

    async def scenario():
        async with running(dsn) as service, scraped(service) as scrape:
            room = await Room.open(service)
            ann = room.players[0]
            before = await scrape()
            async with grpc.aio.insecure_channel(service.address) as channel:
                for number in range(40):
                    for path in (f"/kartejo.v1.TableService/M{number}", f"/x{number}.Y/Z", "/"):
                        call = channel.unary_unary(path)
                        with pytest.raises(grpc.aio.AioRpcError):
                            await call(b"", metadata=ann.metadata if number % 2 else None)
            for number in range(20):
                await failing(ann.create(f"game {number}"))
                await failing(ann.act(f"table {number}", 0, AddChips(1)))
                await failing(ann.act(room.table, 0, AddChips(1), request_id="r" * (70 + number)))
            after = await scrape()
            assert after("calls_total", method="unknown", reason="UNIMPLEMENTED") == 120
            fresh = {(name, *sorted(of)) for name, of in after.all.keys() - before.all.keys()}
            assert {labels[1:] for labels in fresh if labels[0] == "kartejo_calls_total"} == {
                (("method", "unknown"), ("reason", "UNIMPLEMENTED")),
                (("method", f"{TABLES}/CreateTable"), ("reason", "NOT_FOUND")),
                (("method", f"{TABLES}/SubmitAction"), ("reason", "NOT_FOUND")),
                (("method", f"{TABLES}/SubmitAction"), ("reason", "MALFORMED")),
            }
            assert {name for name, *_ in fresh if "gc_pause" not in name} == {"kartejo_calls_total"}
            values = {value for _, labels in after.all for _, value in labels}
            ids = {room.table, str(UUID(room.table).hex), "ann", "bob"}
            assert not ids & values
            assert all(re.fullmatch(r"[A-Za-z0-9_./+-]{1,64}", value) for value in values)

    run(scenario())


def test_every_limit_that_says_no_is_counted_and_told_in_one_line(dsn):
    async def scenario():
        slow = Speed(of_caller=2, of_connection=0)
        async with (
            running(dsn, world=SteppedWorld(), speed=slow) as service,
            scraped(service) as scrape,
        ):
            ann = service.client("ann")
            table = (await ann.create("parlour")).table.table_id
            refusals = Refusals(service.server)
            for _ in range(2 * BURST_SECONDS - 1):
                await ann.get(table)
            for _ in range(5):
                await failing(ann.get(table))
            seen = await scrape()
            assert seen.labelled("limit_refusals_total") == {("caller_rate",): 5}
            with capture_logs() as logs:
                refusals.tell()
                refusals.tell()
            (line,) = logs
            assert (line["event"], line["limit"], line["refused"]) == (
                "limit_reached",
                "caller_rate",
                5,
            )
            assert "ann" not in repr(line)
            limits = limits_of(service.server)
            assert {key[0] for key in seen.labelled("limit_most")} == {
                name for name, limit in limits.items() if limit.most
            }

    run(scenario())


def test_tables_are_counted_as_they_come_and_go(dsn, monkeypatch):
    """One that is evicted with a snapshot, and loaded again when it is asked for."""

    async def scenario():
        async with running(dsn) as service, scraped(service) as scrape:
            monkeypatch.setattr(service.server.host.tables, "_most", 1)
            ann = service.client("ann")
            first, second = [(await ann.create("parlour")).table.table_id for _ in range(2)]
            tables: Tables = service.server.host.tables

            async def saved() -> bool:
                return tables.records.snapshots == 1

            await until(saved)
            seen = await scrape()
            assert seen("tables") == 1
            assert seen("tables_gone_total", why="evicted") == 1
            assert seen("snapshots_total", outcome="saved") == 1
            del second
            await ann.get(first)
            seen = await scrape()
            assert seen("table_load_seconds_count") == 1
            await failing(ann.get(str(uuid4())))
            assert (await scrape())("tables_unloadable_total") == 1

    run(scenario())


def test_a_follower_says_how_far_it_is_behind(dsn):
    """Another process's commits arrive by notification, and are counted as followed."""

    async def scenario():
        async with two(dsn) as (here, there), scraped(there) as scrape:
            room = await Room.open(here)
            await there.client("eve").get(room.table)
            for _ in range(5):
                await room.host.act(room.table, 0, AddChips(1))
            stored = await here.commits()

            async def followed() -> bool:
                seen = await scrape()
                return seen("log_position") == stored and not seen("follower_lag_commits")

            await until(followed)
            seen = await scrape()
            assert seen("follow_seconds_count") >= 1
            assert seen("hints_total", way="received") >= 1
            assert not seen.labelled("commands_total")

    run(scenario())


def test_a_projection_says_what_it_lacks(dsn):
    """Nothing once it has caught up; every commit that comes after its work was stopped."""

    async def scenario():
        async with running(dsn) as service, scraped(service) as scrape:
            room = await Room.open(service)

            async def caught_up() -> bool:
                found = (await scrape()).all
                lags = {key: lag for key, lag in found.items() if "projection_lag" in key[0]}
                return len(lags) == 6 and not any(lags.values())

            await until(caught_up)
            stopped = [task for task in service.server._tasks if task.get_name()[:7] == "project"]
            for task in stopped:
                task.cancel()
            await asyncio.gather(*stopped, return_exceptions=True)
            for _ in range(3):
                await room.host.act(room.table, 0, AddChips(1))
            seen = await scrape()
            assert set(seen.labelled("projection_lag_commits").values()) == {3}
            assert len(seen.labelled("projection_lag_commits")) == len(stopped) == 6

    run(scenario())


def test_the_page_speaks_http_and_both_forms(dsn):
    """Prometheus' own text and OpenMetrics; anything else is answered, or hung up on."""

    async def scenario():
        async with running(dsn) as service, scraped(service) as scrape:
            get = "GET /metrics HTTP/1.1\r\nHost: here\r\n"
            status, headers, body = await fetch(scrape.port, get + "Accept: text/plain")
            assert (status, headers["content-type"][:10]) == (200, "text/plain")
            assert int(headers["content-length"]) == len(body.encode())
            wanted = "application/openmetrics-text; version=1.0.0"
            status, headers, body = await fetch(scrape.port, get + f"ACCEPT:{wanted}")
            assert headers["content-type"].startswith("application/openmetrics-text")
            names = {family.name for family in text_string_to_metric_families(body)}
            assert {"kartejo_calls", "kartejo_loop_late_seconds", "process_cpu_seconds"} <= names
            status, headers, body = await fetch(scrape.port, "HEAD /metrics?x=1 HTTP/1.1")
            assert (status, body) == (200, "")
            assert int(headers["content-length"]) > 10_000
            assert (await fetch(scrape.port, "GET / HTTP/1.1"))[0] == 404
            assert (await fetch(scrape.port, "POST /metrics HTTP/1.1"))[0] == 405
            assert (await fetch(scrape.port, "\x16\x03\x01"))[0] == 405
            assert (await fetch(scrape.port, get + "X: " + "x" * 20_000))[0] in {0, 400}
            idle = [await asyncio.open_connection("127.0.0.1", scrape.port) for _ in range(40)]

            async def served() -> bool:
                return (await fetch(scrape.port, get))[0] == 200

            for _, writer in idle:
                writer.close()
            await until(served)

    run(scenario())


def test_a_caller_who_leaves_is_counted_as_gone(dsn):
    """A watch that its caller ends: under way until then, and no failure of anybody's."""

    async def scenario():
        async with running(dsn) as service, scraped(service) as scrape:
            room = await Room.open(service)
            ann = room.players[0]
            watch = ann.tables.WatchTable(
                pb.WatchTableRequest(table_id=room.table), metadata=ann.metadata, timeout=60
            )
            await watch.read()
            seen = await scrape()
            method = f"{TABLES}/WatchTable"
            assert (seen("calls_open", method=method), seen("watchers")) == (1, 1)
            watch.cancel()

            async def gone() -> bool:
                seen = await scrape()
                return seen("calls_total", method=method, reason="CANCELLED") == 1

            await until(gone)
            seen = await scrape()
            assert (seen("calls_open", method=method), seen("watchers")) == (0, 0)

    run(scenario())


def test_health_checks_are_calls_like_others(dsn):
    async def scenario():
        async with running(dsn) as service, scraped(service) as scrape:
            async with grpc.aio.insecure_channel(service.address) as channel:
                stub = health_pb2_grpc.HealthStub(channel)
                await stub.Check(health_pb2.HealthCheckRequest())
            seen = await scrape()
            assert seen("calls_total", method="grpc.health.v1.Health/Check", reason="OK") == 1

    run(scenario())
