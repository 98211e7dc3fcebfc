"""How a tournament is told as it goes on: a screen on a terminal, lines in a pipe, JSON."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from rich.live import Live

from engine.events import Event
from engine.fields import describe
from engine.tournament import events as e
from engine.tournament.formats.banks import RoundBegan
from engine.tournament.formats.match_events import RoundPaired
from service.cli.console import Output, print_json, program
from service.cli.tournament_screen import phase_word, screen, standings_table, state_line
from service.codec.tournaments import tournament_event_from_wire
from service.pb import tournament_service_pb2 as pb

__all__ = ["Known", "Telling", "standing_json", "telling_for"]


class Known:
    """What is known of a tournament: how it stands, its open tables, the best of its entries."""

    def __init__(self, tournament: pb.Tournament, tables: Sequence[pb.TournamentTable]) -> None:
        self.tournament = tournament
        self.state = tournament.state
        self.tables = {table.number: table for table in tables}
        self.best: Sequence[pb.TournamentStanding] = ()
        self._heard_at = time.monotonic()

    def take(self, news: pb.WatchTournamentResponse) -> None:
        """Follow a message of a watch."""
        if news.HasField("state"):
            self.state = news.state
            self._heard_at = time.monotonic()
        for table in news.tables:
            self.tables[table.number] = table
            if table.status == pb.TOURNAMENT_TABLE_STATUS_DONE:
                del self.tables[table.number]

    def state_now(self) -> pb.TournamentState:
        """The state with what its clock has left by now."""
        state = pb.TournamentState()
        state.CopyFrom(self.state)
        if state.HasField("clock") and not state.paused:
            gone = int((time.monotonic() - self._heard_at) * 1000)
            state.clock.left_ms = max(0, state.clock.left_ms - gone)
        return state

    @property
    def is_done(self) -> bool:
        """Whether it is over and everybody has his money."""
        over = self.state.phase in {pb.TOURNAMENT_PHASE_FINISHED, pb.TOURNAMENT_PHASE_CANCELLED}
        return over and not self.state.owed


class Telling(ABC):
    """Tells what happens."""

    is_screen = False
    """Whether it is to be drawn anew as time goes by, with the best entries."""

    @abstractmethod
    def begin(self, known: Known) -> None:
        """The tournament as it was found."""

    @abstractmethod
    def news(self, known: Known, events: Sequence[tuple[int, Event]]) -> None:
        """What happened, by version, and how it stands with that."""

    @abstractmethod
    def end(self, known: Known, standings: Sequence[pb.TournamentStanding]) -> None:
        """It is over."""

    @abstractmethod
    def verified(self, wrong: Sequence[str]) -> None:
        """What a demonstration found wrong; nothing: all is well."""

    @abstractmethod
    def stop(self) -> None:
        """Nobody looks any more."""


def telling_for(*, as_json: bool) -> Telling:
    """As it is wished for, and as the output can show it."""
    if as_json:
        return _Json()
    out = Output()
    return _Screen(out) if out.is_terminal else _Lines(out)


def events_of(news: pb.WatchTournamentResponse) -> list[tuple[int, Event]]:
    """The tournament's events in a message, by version; those of the house are left out."""
    return [
        (each.version, tournament_event_from_wire(each.event))
        for each in news.news
        if each.HasField("event")
    ]


class _Lines(Telling):
    """A line for what happens."""

    def __init__(self, out: Output) -> None:
        self._out = out

    def begin(self, known: Known) -> None:
        tournament = known.tournament
        told = tournament.structure
        self._out.print(
            f"{told.name}: {told.game}, {told.format}, tournament {tournament.tournament_id}",
            markup=False,
        )
        self._out.print(state_line(known.state), markup=False)

    def news(self, known: Known, events: Sequence[tuple[int, Event]]) -> None:
        for _, event in events:
            line = _line(known, event)
            if line:
                self._out.print(line, markup=False)

    def end(self, known: Known, standings: Sequence[pb.TournamentStanding]) -> None:
        self._out.print(state_line(known.state), markup=False)
        self._out.print(standings_table(standings))

    def verified(self, wrong: Sequence[str]) -> None:
        _print_verdict(self._out, wrong)

    def stop(self) -> None:
        """Lines stay."""


class _Screen(Telling):
    """Everything in its place, drawn anew when something changes."""

    is_screen = True

    def __init__(self, out: Output) -> None:
        self._out = out
        self._live = Live(console=out, auto_refresh=False)

    def begin(self, known: Known) -> None:
        self._live.start()
        self._draw(known)

    def news(self, known: Known, events: Sequence[tuple[int, Event]]) -> None:
        del events
        self._draw(known)

    def _draw(self, known: Known) -> None:
        told = screen(known.tournament, known.state_now(), known.tables, known.best)
        self._live.update(told, refresh=True)

    def end(self, known: Known, standings: Sequence[pb.TournamentStanding]) -> None:
        known.best = standings
        self._draw(known)
        self.stop()

    def verified(self, wrong: Sequence[str]) -> None:
        _print_verdict(self._out, wrong)

    def stop(self) -> None:
        self._live.stop()


class _Json(Telling):
    """A JSON text for each event, then one for the end."""

    def begin(self, known: Known) -> None:
        print_json(
            {
                "tournament": known.tournament.tournament_id,
                "name": known.tournament.structure.name,
                "phase": phase_word(known.state.phase),
                "version": known.state.version,
            }
        )

    def news(self, known: Known, events: Sequence[tuple[int, Event]]) -> None:
        del known
        for version, event in events:
            told = {info.name: _plain(getattr(event, info.name)) for info in describe(type(event))}
            print_json({"version": version, "event": type(event).__name__, **told})

    def end(self, known: Known, standings: Sequence[pb.TournamentStanding]) -> None:
        print_json(
            {
                "tournament": known.tournament.tournament_id,
                "phase": phase_word(known.state.phase),
                "deals": known.state.deals,
                "prize_pool": known.state.prize_pool,
                "standings": [standing_json(row) for row in standings],
            }
        )

    def verified(self, wrong: Sequence[str]) -> None:
        print_json({"verified": not wrong, "wrong": list(wrong)})

    def stop(self) -> None:
        """Lines stay."""


def standing_json(row: pb.TournamentStanding) -> dict[str, object]:
    """A line of the standings for programs."""
    return {
        "entry": row.entry,
        "player": row.player,
        "place": row.place or None,
        "score": row.score,
        "prize": row.prize,
    }


def _plain(value: Any) -> object:
    """A value of an event for programs: structures with the names of their fields."""
    if hasattr(value, "_asdict"):
        return {name: _plain(item) for name, item in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _print_verdict(out: Output, wrong: Sequence[str]) -> None:
    if wrong:
        out.lines((f"WRONG: {fault}" for fault in wrong), style="bold red")
        return
    out.print("Every account holds what its place has won, and together they hold the prize pool.")
    out.print(f"More: {program()} tournament list --over", markup=False)


def _line(known: Known, event: Event) -> str:
    """What happened in words; empty: nothing that somebody who looks on waits for."""
    match event:
        case e.EntryMade(entry, waits=waits):
            return f"entry {entry} {'waits for a place' if waits else 'has entered'}"
        case e.EntryWithdrawn(entry):
            return f"entry {entry} was taken back"
        case e.TournamentStarted():
            return f"play begins: {known.state.entries} have entered"
        case e.LevelBegan(level):
            return f"level {level + 1}{_options(known, level)}"
        case e.BreakCalled():
            return "a break begins when all hands are over"
        case e.BreakEnded():
            return "the break is over"
        case e.TableDrawn(table, entries):
            sitting = ", ".join(str(entry) for entry in entries if entry >= 0)
            return f"table {table}: entries {sitting}"
        case e.MoveOrdered(entry, table):
            return f"entry {entry} moves to table {table}"
        case e.TableBroken(table):
            return f"table {table} deals no more"
        case RoundBegan(round_) | RoundPaired(round_):
            return f"round {round_}"
        case e.EntryOut(entry, worse, equal):
            place = known.state.entries - worse - equal + 1
            return f"entry {entry} is out, place {place}"
        case e.EntryDisqualified(entry, reason):
            return f"entry {entry} is excluded: {reason}"
        case e.MoneyAwarded(entry, amount, why):
            return f"entry {entry}: {amount} ({why.lower()})"
        case _:
            return _words(event)


def _words(event: Event) -> str:
    match event:
        case e.TournamentPaused():
            return "paused"
        case e.TournamentResumed():
            return "it goes on"
        case e.TournamentCancelled(reason):
            return f"cancelled: {reason}"
        case e.TournamentFinished():
            return "finished"
        case _:
            return ""


def _options(known: Known, level: int) -> str:
    options: Mapping[str, str] = {
        option.name: option.value for option in known.tournament.structure.levels[level].options
    }
    told = ", ".join(f"{name} {value}" for name, value in options.items())
    return f": {told}" if told else ""
