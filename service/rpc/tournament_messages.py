"""Messages about tournaments, built from how they stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from engine.errors import Unknown
from engine.events import HouseEvent
from engine.tournament.actions import CreateTournament
from engine.tournament.chips import chips_of
from engine.tournament.format import Standing
from engine.tournament.money import prize_pool
from engine.tournament.state import Duty
from engine.visibility import OBSERVER
from service.codec import Codec
from service.codec.tournaments import tournament_action_to_wire, tournament_event_to_wire
from service.pb import tournament_events_pb2
from service.pb import tournament_service_pb2 as pb
from service.rpc.messages import timestamp
from service.store.tournament_index import TournamentRow
from service.tournaments.concern import open_table
from service.tournaments.live import LiveTournament, Recorded
from service.world import Clock

__all__ = ["TournamentMessages", "tournament_stream"]

_CLOCKS: Final = tournament_events_pb2.TournamentClockKind


def tournament_stream(text: str) -> UUID:
    """The stream of a tournament's id; raises ``Unknown`` for what is none of ours."""
    try:
        found = UUID(text)
    except ValueError:
        raise Unknown("no such tournament") from None
    if str(found) != text:
        raise Unknown("no such tournament")
    return found


class TournamentMessages:
    """Builds messages as of now, by the world's clock."""

    def __init__(self, codec: Codec, clock: Clock) -> None:
        self._codec = codec
        self._clock = clock

    @staticmethod
    def summary(row: TournamentRow) -> pb.TournamentSummary:
        """What a list shows."""
        return pb.TournamentSummary(
            tournament_id=str(row.stream),
            name=row.name,
            game=row.game,
            format=row.format,
            host=row.host,
            phase=row.phase,  # type: ignore[arg-type]  # the numbers are those of Phase
            entries=row.entries,
            waiting=len(row.waits),
            create_time=timestamp(row.created_at),
            start_time=None if row.started_at is None else timestamp(row.started_at),
            end_time=None if row.ended_at is None else timestamp(row.ended_at),
        )

    def tournament(self, live: LiveTournament) -> pb.Tournament:
        """All of it but its tables and entries."""
        action = tournament_action_to_wire(CreateTournament(live.now.state.structure))
        return pb.Tournament(
            tournament_id=live.tournament_id,
            host=live.now.house.host,
            structure=action.create_tournament.structure,
            state=self.state(live),
            create_time=timestamp(live.created_at),
        )

    def state(self, live: LiveTournament) -> pb.TournamentState:
        """Where a tournament stands."""
        state, house = live.now
        pool, _ = prize_pool(state)
        message = pb.TournamentState(
            version=state.version,
            phase=int(state.phase),  # type: ignore[arg-type]  # the numbers are those of Phase
            paused=state.paused,
            accepts_entries=state.accepts,
            entries=state.field,
            waiting=state.waiting.bit_count(),
            left=state.left,
            level=state.level + 1,
            on_break=state.on_break,
            tables=state.standing.bit_count(),
            deals=state.deals,
            prize_pool=sum(state.prizes) or pool,
            prizes=state.prizes,
            lots_commitment=house.commitment,
            owed=state.money.owed,
        )
        if state.level >= 0:
            for name, value in state.structure.levels[state.level].options:
                message.level_options.add(name=name, value=value)
        if state.clock is not None:
            kind = f"TOURNAMENT_CLOCK_KIND_{state.clock.kind}"
            message.clock.kind = _CLOCKS.Value(kind)
            message.clock.left_ms = live.clock_left_ms(self._clock.now()) or 0
        return message

    @staticmethod
    def entry(live: LiveTournament, player: str) -> pb.TournamentEntry | None:
        """The latest entry of a player; None: he has none."""
        state = live.now.state
        number = state.players.get(player)
        if number is None:
            return None
        entry = state.entries[number]
        table = open_table(state, entry)
        return pb.TournamentEntry(
            entry=number,
            player=player,
            status=entry.status + 1,  # type: ignore[arg-type]  # 0 says nothing on the wire
            table_id="" if table is None else str(live.streams[table]),
            seat=0 if table is None else entry.seat,
            chips=chips_of(state, number),
            place=state.place(number) or 0,
            prize=entry.won,
            again=entry.again,
            disqualified=entry.disqualified,
            add_on=entry.add_on,
        )

    @staticmethod
    def table(live: LiveTournament, number: int) -> pb.TournamentTable:
        """A table as the tournament knows it."""
        state = live.now.state
        table = state.tables[number]
        message = pb.TournamentTable(
            number=number,
            table_id=str(live.streams[number]),
            status=table.status + 1,  # type: ignore[arg-type]  # 0 says nothing on the wire
            hand=table.hand,
            level=table.level + 1 if table.hand else 0,
        )
        for at, seat in enumerate(table.seats):
            if seat.entry >= 0:
                message.seats.add(
                    seat=at,
                    entry=seat.entry,
                    player=state.entries[seat.entry].player,
                    chips=seat.chips,
                    awaited=seat.duty is Duty.AWAIT,
                )
        return message

    @staticmethod
    def standings(rows: Iterable[Standing]) -> list[pb.TournamentStanding]:
        """How entries stand."""
        return [
            pb.TournamentStanding(
                entry=row.entry,
                player=row.player,
                place=row.place or 0,
                score=row.score,
                prize=row.prize,
            )
            for row in rows
        ]

    def news(self, recorded: Recorded) -> list[pb.TournamentNews]:
        """The events of a commit, which are everybody's to know."""
        found: list[pb.TournamentNews] = []
        for version, event in enumerate(recorded.events, recorded.commit.expected + 1):
            if isinstance(event, HouseEvent):
                wire = self._codec.event_to_wire(event, OBSERVER)
                found.append(pb.TournamentNews(version=version, house=wire))
            else:
                told = tournament_event_to_wire(event)
                found.append(pb.TournamentNews(version=version, event=told))
        return found
