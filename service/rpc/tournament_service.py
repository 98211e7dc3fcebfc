"""TournamentService: tournaments as their players, hosts and onlookers meet them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any, Final, TypeVar
from uuid import UUID

from engine.errors import Malformed, Refused
from engine.tournament import actions as a
from engine.tournament.formats import format_of
from engine.tournament.persistent import Numbered, members
from engine.tournament.state import Phase, Table
from engine.tournament.structure import MAX_ENTRANTS, Structure
from service.codec.tournaments import tournament_action_from_wire
from service.host.host import Host
from service.identity import Principal
from service.pb import tournament_service_pb2 as pb
from service.pb.tournament_actions_pb2 import TournamentAction
from service.pb.tournament_events_pb2 import TournamentStructure
from service.pb.tournament_service_pb2_grpc import TournamentServiceServicer
from service.rpc.calls import Calls
from service.rpc.messages import timestamp
from service.rpc.pages import page_size, page_token, place_of, read_token
from service.rpc.tournament_messages import TournamentMessages, tournament_stream
from service.store.tournament_index import NEWEST, TournamentIndex
from service.tournaments.calls import TournamentCalls
from service.tournaments.live import LiveTournament
from service.tournaments.watching import TournamentStep

__all__ = ["TournamentsOverGrpc"]

_OPEN: Final = (Phase.REGISTERING, Phase.RUNNING)

R = TypeVar("R")


class TournamentsOverGrpc(TournamentServiceServicer):
    """The servicer."""

    def __init__(
        self, calls: Calls, host: Host, tournaments: TournamentCalls, index: TournamentIndex
    ) -> None:
        self._calls = calls
        self._host = host
        self._tournaments = tournaments
        self._index = index
        self._messages = TournamentMessages(host.codec, host.world)

    # --- looking ------------------------------------------------------------------------------

    async def ListTournaments(
        self, request: pb.ListTournamentsRequest, context: Any
    ) -> pb.ListTournamentsResponse:
        async def work(caller: Principal) -> pb.ListTournamentsResponse:
            caller.require_unlimited()
            size = page_size(request.page_size)
            if request.game:
                self._host.game(request.game)
            phases = _phases(request.phases)
            question = f"tournaments {request.game} {phases}"
            last = read_token(question, request.page_token)
            if caller.lab:
                return pb.ListTournamentsResponse()
            rows = await self._index.page(
                before=NEWEST if last is None else place_of(last, 18, UUID),
                limit=size + 1,
                game=request.game or None,
                phases=phases,
            )
            answer = pb.ListTournamentsResponse(
                tournaments=map(self._messages.summary, rows[:size])
            )
            if len(rows) > size:
                end = rows[size - 1]
                answer.next_page_token = page_token(question, f"{end.created_at} {end.stream}")
            return answer

        return await self._calls.unary(context, work)

    async def GetTournament(
        self, request: pb.GetTournamentRequest, context: Any
    ) -> pb.GetTournamentResponse:
        async def work(caller: Principal) -> pb.GetTournamentResponse:
            live = await self._find(caller, request.tournament_id)
            return pb.GetTournamentResponse(
                tournament=self._messages.tournament(live),
                mine=self._messages.entry(live, str(caller.id)),
            )

        return await self._calls.unary(context, work)

    async def ListTournamentTables(
        self, request: pb.ListTournamentTablesRequest, context: Any
    ) -> pb.ListTournamentTablesResponse:
        async def work(caller: Principal) -> pb.ListTournamentTablesResponse:
            live = await self._find(caller, request.tournament_id)
            size = page_size(request.page_size)
            question = f"tables of {request.tournament_id} {request.include_closed}"
            last = read_token(question, request.page_token)
            (after,) = (-1,) if last is None else place_of(last, 9)
            state = live.now.state
            every = (1 << len(state.tables)) - 1
            wanted = (every if request.include_closed else state.standing) >> (after + 1)
            answer = pb.ListTournamentTablesResponse()
            for number in members(wanted):
                if len(answer.tables) == size:
                    newest = answer.tables[-1].number
                    answer.next_page_token = page_token(question, str(newest))
                    break
                answer.tables.append(self._messages.table(live, number + after + 1))
            return answer

        return await self._calls.unary(context, work)

    async def GetStandings(
        self, request: pb.GetStandingsRequest, context: Any
    ) -> pb.GetStandingsResponse:
        async def work(caller: Principal) -> pb.GetStandingsResponse:
            with self._calls.lists.place(caller.id):
                live = await self._find(caller, request.tournament_id)
                size = page_size(request.page_size)
                question = f"standings of {request.tournament_id}"
                last = read_token(question, request.page_token)
                (first,) = (0,) if last is None else place_of(last, 9)
                known = self._tournaments.standings.of(live)
                answer = pb.GetStandingsResponse(
                    version=known.version,
                    standings=self._messages.standings(known.rows[first : first + size]),
                )
                if len(known.rows) > first + size:
                    answer.next_page_token = page_token(question, str(first + size))
                return answer

        return await self._calls.unary(context, work)

    async def _find(self, caller: Principal, tournament_id: str) -> LiveTournament:
        return await self._tournaments.find(caller, tournament_stream(tournament_id))

    # --- players ------------------------------------------------------------------------------

    async def Register(self, request: pb.RegisterRequest, context: Any) -> pb.RegisterResponse:
        return await self._ask(request, context, a.Register(), pb.RegisterResponse)

    async def Unregister(
        self, request: pb.UnregisterRequest, context: Any
    ) -> pb.UnregisterResponse:
        return await self._ask(request, context, a.Unregister(), pb.UnregisterResponse)

    async def ReEnter(self, request: pb.ReEnterRequest, context: Any) -> pb.ReEnterResponse:
        return await self._ask(request, context, a.ReEnter(), pb.ReEnterResponse)

    async def TakeAddOn(self, request: pb.TakeAddOnRequest, context: Any) -> pb.TakeAddOnResponse:
        return await self._ask(request, context, a.TakeAddOn(), pb.TakeAddOnResponse)

    async def CommitToChoice(
        self, request: pb.CommitToChoiceRequest, context: Any
    ) -> pb.CommitToChoiceResponse:
        action = a.Commit(request.choice)
        return await self._ask(request, context, action, pb.CommitToChoiceResponse)

    async def _ask(
        self, request: Any, context: Any, action: a.PlayerAsks, answer: Callable[..., R]
    ) -> R:
        async def work(caller: Principal) -> R:
            stream = tournament_stream(request.tournament_id)
            calls = self._tournaments
            commit = await calls.ask(caller, request.request_id, stream, action)
            live = await calls.find(caller, stream)
            mine = self._messages.entry(live, str(caller.id))
            return answer(version=commit.version, mine=mine)

        return await self._calls.unary(context, work)

    # --- hosts --------------------------------------------------------------------------------

    async def CreateTournament(
        self, request: pb.CreateTournamentRequest, context: Any
    ) -> pb.CreateTournamentResponse:
        async def work(caller: Principal) -> pb.CreateTournamentResponse:
            with _of_structure():
                structure = self._structure(request.structure)
                live = await self._tournaments.create(caller, request.request_id, structure)
            return pb.CreateTournamentResponse(tournament=self._messages.tournament(live))

        return await self._calls.unary(context, work)

    def _structure(self, wire: TournamentStructure) -> Structure:
        """What a message asks for, what it leaves out filled in."""
        action = TournamentAction()
        action.create_tournament.structure.CopyFrom(wire)
        created = tournament_action_from_wire(action)
        if not isinstance(created, a.CreateTournament):
            raise TypeError("a structure is what makes a tournament")
        asked, usual = created.structure, Structure()
        game = format_of(asked).GAMES.get(asked.game)
        most = usual.table_size if game is None else min(game[1], usual.table_size)
        return asked._replace(
            table_size=asked.table_size or most,
            min_entrants=asked.min_entrants or usual.min_entrants,
            max_entrants=asked.max_entrants or MAX_ENTRANTS,
            start=asked.start or usual.start,
        )

    async def StartTournament(
        self, request: pb.StartTournamentRequest, context: Any
    ) -> pb.StartTournamentResponse:
        return await self._order(request, context, a.StartTournament(), pb.StartTournamentResponse)

    async def PauseTournament(
        self, request: pb.PauseTournamentRequest, context: Any
    ) -> pb.PauseTournamentResponse:
        return await self._order(request, context, a.PauseTournament(), pb.PauseTournamentResponse)

    async def ResumeTournament(
        self, request: pb.ResumeTournamentRequest, context: Any
    ) -> pb.ResumeTournamentResponse:
        action = a.ResumeTournament()
        return await self._order(request, context, action, pb.ResumeTournamentResponse)

    async def CancelTournament(
        self, request: pb.CancelTournamentRequest, context: Any
    ) -> pb.CancelTournamentResponse:
        action = a.CancelTournament(request.reason)
        return await self._order(request, context, action, pb.CancelTournamentResponse)

    async def Disqualify(
        self, request: pb.DisqualifyRequest, context: Any
    ) -> pb.DisqualifyResponse:
        action = a.Disqualify(request.player, request.reason)
        return await self._order(request, context, action, pb.DisqualifyResponse)

    async def _order(
        self, request: Any, context: Any, action: a.HostAsks, answer: Callable[..., R]
    ) -> R:
        async def work(caller: Principal) -> R:
            stream = tournament_stream(request.tournament_id)
            calls = self._tournaments
            commit = await calls.order(caller, request.request_id, stream, action)
            live = await calls.find(caller, stream)
            return answer(version=commit.version, state=self._messages.state(live))

        return await self._calls.unary(context, work)

    # --- following ----------------------------------------------------------------------------

    async def WatchTournament(  # type: ignore[override]
        self, request: pb.WatchTournamentRequest, context: Any
    ) -> None:
        follow = self._way if request.mine else self._commits
        await self._calls.stream(context, lambda caller: follow(caller, request))

    async def _way(
        self, caller: Principal, request: pb.WatchTournamentRequest
    ) -> AsyncGenerator[pb.WatchTournamentResponse, None]:
        live = await self._find(caller, request.tournament_id)
        player = str(caller.id)
        way = self._tournaments.watching.way(live.stream, request.after_version, player)
        async with aclosing(way) as stations:
            async for now in stations:
                yield self._message(now, player)

    async def _commits(
        self, caller: Principal, request: pb.WatchTournamentRequest
    ) -> AsyncGenerator[pb.WatchTournamentResponse, None]:
        live = await self._find(caller, request.tournament_id)
        player = str(caller.id)
        seen: Numbered[Table] | None = None
        commits = self._tournaments.watching.commits(live.stream, request.after_version)
        async with aclosing(commits) as steps:
            async for step in steps:
                if not step.is_live:
                    # However many catch up at once, those who play wait for one message.
                    await self._host.tables.stored.breathe()
                message = self._step(step, player)
                if message.HasField("state"):
                    now = step.live.now.state.tables
                    for number in now.since(seen) if seen is not None else ():
                        message.tables.append(self._messages.table(step.live, number))
                    seen = now
                yield message

    def _step(self, step: TournamentStep, player: str) -> pb.WatchTournamentResponse:
        live, recorded, is_live = step
        if recorded is None:
            return self._message(live, player)
        commit = recorded.commit
        newest = is_live and commit.version == live.version
        message = self._message(live, player) if newest else pb.WatchTournamentResponse()
        message.tournament_id, message.version = live.tournament_id, commit.version
        message.live = is_live
        message.record_time.CopyFrom(timestamp(commit.recorded_at))
        message.news.extend(self._messages.news(recorded))
        return message

    def _message(self, live: LiveTournament, player: str) -> pb.WatchTournamentResponse:
        """How the tournament stands, and a player in it."""
        return pb.WatchTournamentResponse(
            tournament_id=live.tournament_id,
            version=live.version,
            live=True,
            state=self._messages.state(live),
            mine=self._messages.entry(live, player),
        )


@contextmanager
def _of_structure() -> Iterator[None]:
    """What is wrong with a structure is wrong with the request: which field, what was expected."""
    try:
        yield
    except Refused as refused:
        if refused.reason != "INVALID_STRUCTURE":
            raise
        field, expected = refused.detail["field"], refused.detail["expected"]
        error = Malformed(f"structure.{field}", f"expected {expected}")
        error.reason = refused.reason
        raise error from None


def _phases(asked: Sequence[int]) -> list[int]:
    """Phases to list; raises ``Malformed`` for what is none."""
    known = set(Phase) - {Phase.NONE}
    if not set(asked) <= known:
        raise Malformed("phases", "expected phases that are known")
    return sorted(set(asked)) or [int(phase) for phase in _OPEN]
