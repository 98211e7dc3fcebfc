"""Royal Casino through the service: games of several deals, lots, lists of plays, clocks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple, Self
from uuid import UUID, uuid4

import grpc

from engine.actions import LeaveSeat, SitIn, SitOut, TakeSeat
from engine.events import EpochClosed, EpochOpened, LotDrawn
from engine.games import GAMES
from engine.games.royal_casino import events as e
from engine.notation import text_of_lines
from engine.script import run_text
from engine.visibility import seat_viewer
from service.client import Client as Library
from service.client import Endpoint
from service.client.exporting import export_hand
from service.pb import common_pb2
from service.pb import lab_service_pb2 as lab
from service.pb import table_service_pb2 as pb
from service.vault import EpochKeys, EpochShuffler
from service.world import SteppedWorld
from tests.games.royal_casino.tables import GAME, placed
from tests.service.harness import CODEC, Client, Running, decoded, failing, names, run, running
from tests.service.test_clocks import until

CASINO = GAMES["royal_casino"]


class Room(NamedTuple):
    """A table with its host and the players by seat."""

    id: str
    host: Client
    players: list[Client]

    @classmethod
    async def open(
        cls, service: Running, players: int = 2, house: dict[str, str] | None = None, **options: str
    ) -> Self:
        host = service.client("host")
        made = await host.create(
            "royal_casino",
            options={"players": str(players), **options},
            house_options=house or {},
        )
        room = cls(made.table.table_id, host, [])
        for seat in range(players):
            room.players.append(service.client(f"p{seat}"))
            await room.players[seat].act(room.id, seat, TakeSeat("", 100))
        return room

    async def state(self, seat: int = -1) -> Any:
        """The state now, as the host or a seat sees it."""
        caller = self.host if seat < 0 else self.players[seat]
        return (await caller.get(self.id)).state

    async def plays(self, caller: Client, seat: int, limit: int = 0) -> Any:
        request = pb.ListPlaysRequest(table_id=self.id, seat=seat, limit=limit)
        return (await caller.call(caller.tables.ListPlays, request)).plays

    async def turn(self, pick: int = 0) -> Any:
        """The seat to act takes one of its listed plays; its answer."""
        state = await self.state()
        (seat,) = state.decision.seats
        player = self.players[seat]
        plays = (await self.plays(player, seat)).plays
        action = CODEC.action_from_wire(plays[pick % len(plays)].action)
        return await player.act(self.id, seat, action, state)

    async def play_out(self) -> Any:
        """The rest of the deal; the last answer."""
        answer = await self.turn()
        while answer.state.decision.hand:
            answer = await self.turn(pick=-1)
        return answer

    async def events(self) -> list[Any]:
        """Everything that happened, as somebody without a seat sees it."""
        return [one for m in await self.host.watched(self.id) for one in decoded(m.events)]


def test_a_game_begins_then_its_deals_each_known_by_a_number_of_its_own(dsn):
    """StartHand does what is next; a rematch counts its deals anew, the table its hands on."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, stake="10")
            begun = await room.host.start(room.id, request_id="game")
            assert names(begun.events)[:4] == [
                "LotDrawn",
                "GameStarted",
                "StakePosted",
                "StakePosted",
            ]
            dealt = await room.host.start(room.id, request_id="deal")
            assert decoded(dealt.events)[0].deal_no == 1
            assert (dealt.state.decision.hand, dealt.state.decision.number) == (1, 1)
            again = await room.host.start(room.id, request_id="game")
            assert again.events == begun.events  # what was asked is the same, whatever is next now
            late = await failing(room.host.start(room.id))
            assert late.reason == "WRONG_PHASE"
            await room.play_out()
            second = await room.host.start(room.id)
            assert decoded(second.events)[0].deal_no == 2
            assert second.state.decision.hand == 2
            await room.players[1].act(room.id, 1, LeaveSeat())
            await room.players[1].act(room.id, 1, TakeSeat("", 10))
            rematch = await room.host.start(room.id)
            assert "LotDrawn" not in names(rematch.events)  # the deal goes round
            third = await room.host.start(room.id)
            assert decoded(third.events)[0].deal_no == 1
            assert third.state.decision.hand == 3
            listed = (await room.host.get(room.id)).table
            assert listed.hand == 3
        async with running(dsn) as service:  # from a snapshot
            host = service.client("host")
            state = (await host.get(room.id)).state
            assert (state.decision.hand, state.text) == (3, third.state.text)

    run(scenario())


def test_the_first_dealer_is_drawn_by_lot_that_everybody_can_check(dsn):
    """The lot is a shuffle of an epoch whose secret is told with it (design 5.3)."""

    async def scenario():
        async with running(dsn) as service:
            firsts = set()
            for _ in range(12):
                room = await Room.open(service, 4, {"reveal": "public"})
                await room.host.start(room.id)
                told = await room.events()
                (lot,) = [one for one in told if isinstance(one, LotDrawn)]
                (started,) = [one for one in told if isinstance(one, e.GameStarted)]
                assert (lot.purpose, lot.order[0]) == ("FIRST_DEALER", started.first_dealer)
                (closed,) = [one for one in told if isinstance(one, EpochClosed)]
                opened = next(one for one in told if isinstance(one, EpochOpened))
                keys = EpochKeys.revealed(UUID(room.id), 1, closed.secret.value, opened.commitment)
                order = EpochShuffler(keys).shuffle("FIRST_DEALER", (0, 1, 2, 3))
                assert order == lot.order
                firsts.add(order[0])
            assert len(firsts) > 1

    run(scenario())


def test_live_answers_hold_the_short_form_and_lists_are_had_on_request(dsn):
    """6.8.7: to the seat itself only."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, first_dealer="1")
            await room.host.start(room.id)
            await room.host.start(room.id)
            for _ in range(10):
                state = await room.state()
                (seat,) = state.decision.seats
                assert not state.offers
                own = await room.state(seat)
                found = await room.plays(room.players[seat], seat)
                assert {offer.action for offer in own.offers} == {
                    play.action.royal_casino.WhichOneof("action") for play in found.plays
                }
                assert found.total == sum(row.count for row in found.counts) == len(found.plays)
                assert [row.kind for row in found.counts] == ["trails", "captures", "builds"]
                assert found.version == own.version
                assert not found.truncated
                some = await room.plays(room.players[seat], seat, limit=1)
                assert some.total == found.total
                assert list(some.plays) == list(found.plays)[:1]
                assert some.truncated == (found.total > 1)
                other = 1 - seat
                none = await room.plays(room.players[other], other)
                assert (none.total, len(none.plays)) == (0, 0)
                await room.turn(pick=3)
            for caller in (room.players[other], room.host, service.client("eve")):
                denied = await failing(room.plays(caller, 1 - other))
                assert denied.code is grpc.StatusCode.PERMISSION_DENIED
            for limit in (-1, 5001):
                wrong = await failing(room.plays(room.players[0], 0, limit=limit))
                assert (wrong.code, wrong.field) == (grpc.StatusCode.INVALID_ARGUMENT, "limit")
            token = service.client("p0", table=room.id, seat=0)
            assert (await room.plays(token, 0)).version
            strange = await failing(room.plays(token, 1))
            assert strange.code is grpc.StatusCode.NOT_FOUND

    run(scenario())


def test_a_game_that_lists_no_plays_says_so(dsn):
    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            made = await ann.create("royal_flush")
            await ann.act(made.table.table_id, 0, TakeSeat("", 1))
            request = pb.ListPlaysRequest(table_id=made.table.table_id)
            refused = await failing(ann.call(ann.tables.ListPlays, request))
            assert (refused.code, refused.reason) == (
                grpc.StatusCode.FAILED_PRECONDITION,
                "PLAYS_NOT_LISTED",
            )

    run(scenario())


WORST = """
    dealer 1
    turn 0
    hand 0 Kc Ac Ad Ah
    hand 1 Kd 9d Ks Qd
    loose 2c 2d 2h 2s 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kh As
    rest stock=8 piles=0,20
"""


async def lab_table(teacher: Client, position: str, **options: str) -> str:
    request = lab.OpenLabTableRequest(request_id=uuid4().hex, game="royal_casino", options=options)
    table = (await teacher.call(teacher.lab.OpenLabTable, request)).table_id
    lines = GAME.lines(GAME.view(placed(position).state, 1 << 31))
    place = lab.SetPositionRequest(
        request_id=uuid4().hex, table_id=table, position=text_of_lines(lines)
    )
    await teacher.call(teacher.lab.SetPosition, place)
    return table


def test_the_longest_list_there_is(dsn):
    """6.8.6: counted exactly, listed up to the limit, and short in the offers."""

    async def scenario():
        async with running(dsn) as service:
            teacher = service.lab()
            table = await lab_table(teacher, WORST, equal_card_rule="no_trail_only")
            request = lab.LookPlaysRequest(table_id=table, seat=0, limit=5000)
            found = (await teacher.call(teacher.lab.LookPlays, request)).plays
            assert (found.total, len(found.plays), found.truncated) == (44_821, 5000, True)
            looked = lab.LookRequest(table_id=table, viewer={"seat": 0}, after_version=3)
            answer = await teacher.call(teacher.lab.Look, looked)
            assert answer.state.offers
            assert answer.state.ByteSize() < 64_000

    run(scenario())


class Slow:
    """A list of plays that is not done until somebody else was served meanwhile."""

    def __init__(self) -> None:
        self.served = threading.Event()
        self.threads: list[str] = []

    def __call__(self, state: Any, seat: int, limit: int) -> Any:
        self.threads.append(threading.current_thread().name)
        assert self.served.wait(10), "the service waits for its own list of plays"
        return GAME.listing(state, seat, limit)


def test_a_long_list_keeps_nobody_waiting(dsn, monkeypatch):
    """It is made on a thread of its own, and its callers are counted."""

    async def scenario():
        slow = Slow()
        monkeypatch.setattr(CASINO, "listing", slow, raising=False)
        async with running(dsn) as service:
            room = await Room.open(service, first_dealer="1")
            await room.host.start(room.id)
            state = (await room.host.start(room.id)).state
            (seat,) = state.decision.seats
            waiting = [asyncio.create_task(room.plays(room.players[seat], seat)) for _ in range(2)]

            async def begun() -> bool:
                return bool(slow.threads)

            await until(begun)
            for _ in range(20):
                await room.state()
            third = await failing(room.plays(room.players[seat], seat))
            assert third.code is grpc.StatusCode.RESOURCE_EXHAUSTED
            slow.served.set()
            for found in await asyncio.gather(*waiting):
                assert found.total
            assert threading.current_thread().name not in slow.threads

    run(scenario())


def test_games_go_on_by_themselves(dsn):
    """auto_start: game, deals, and the next game; who does not answer is played for (10.1)."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            house = {"auto_start": "true"}
            room = await Room.open(
                service, house=house, max_timeouts="2", turn_seconds="5", time_bank_seconds="0"
            )

            async def dealt() -> bool:
                return bool((await room.state()).decision.hand)

            await until(dealt, world)
            for _ in range(2):
                before = await room.state()

                async def moved(version: int = before.version) -> bool:
                    return (await room.state()).version > version

                await until(moved, world)
            kinds = [type(one).__name__ for one in await room.events()]
            assert kinds.count("TurnTimedOut") == 2
            assert kinds.count("CardTrailed") + kinds.count("CardsCaptured") == 2

            async def over() -> bool:
                return "phase GAME_OVER" in (await room.state()).text

            await until(over, world)  # both are out: the rest of the deal is played at once
            told = await room.events()
            (won,) = [one for one in told if isinstance(one, (e.GameWon, e.GameDrawn))]
            assert won.reason is e.Reason.ABANDONED
            for seat in (0, 1):
                await room.players[seat].act(room.id, seat, SitIn())
            await until(dealt, world)  # a rematch
            assert (await room.state()).decision.hand == 2

    run(scenario())


def test_a_deal_that_nobody_answers_is_a_hand_all_the_same(dsn):
    """It begins and ends in one commit, and is replayed by its number."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, max_timeouts="1")
            await room.host.start(room.id)
            for seat in (0, 1):
                await room.players[seat].act(room.id, seat, SitOut())
            whole = await room.host.start(room.id)
            assert names(whole.events).count("CardTrailed") > 10
            assert "phase GAME_OVER" in whole.state.text
            library = Library(Endpoint.parse(service.address), service.token("p0"))
            async with library:
                text = await export_hand(library, room.id, 1, common_pb2.Viewer())
            for _, failure in run_text(text, "exported.hand"):
                assert failure is None, str(failure)

    run(scenario())


def test_a_played_deal_is_exported_by_a_player_who_saw_its_deck(dsn):
    """Its actions follow from what they made, captures and builds too."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, 3, first_dealer="2")
            await room.host.start(room.id)
            await room.host.start(room.id)
            await room.play_out()
            library = Library(Endpoint.parse(service.address), service.token("p1"))
            async with library:
                text = await export_hand(library, room.id, 1, common_pb2.Viewer())
            steps = [line for line in text.splitlines() if line[:2] in {"0:", "1:", "2:"}]
            assert len(steps) == 48
            for _, failure in run_text(text, "exported.hand"):
                assert failure is None, str(failure)

    run(scenario())


def hands_of(state: Any) -> list[Sequence[int]]:
    return [list(row.cards) for row in state.view.royal_casino.hands]


def test_a_hand_is_seen_by_its_seat_alone(dsn):
    """4.3: not by the partner either; stock and piles by nobody."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, 4, first_dealer="0")
            await room.host.start(room.id)
            await room.host.start(room.id)
            for _ in range(9):
                for seat in (-1, 0, 1, 2, 3):
                    state = await room.state(seat)
                    for other, hand in enumerate(hands_of(state)):
                        assert any(hand) == (other == seat)
                    assert not any(state.view.royal_casino.stock)
                    assert not any(card for p in state.view.royal_casino.piles for card in p.cards)
                    assert not state.view.royal_casino.dealt
                await room.turn(pick=-1)
            seen = CASINO.view(placed(WORST).state, seat_viewer(2))
            assert not any(card for hand in seen.hands for card in hand)

    run(scenario())
