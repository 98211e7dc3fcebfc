"""Running hand scripts: every line in order, the first that does not hold is reported (2.5)."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Protocol, TypeVar, runtime_checkable

from engine.errors import Refused
from engine.events import Event
from engine.games import GAMES
from engine.kernel import AnyGame, PositionError
from engine.notation import text_of_lines
from engine.script.model import (
    At,
    ExpectEvent,
    ExpectLegal,
    ExpectLine,
    ExpectPlays,
    ExpectTypes,
    Header,
    Line,
    Script,
    ScriptError,
    ScriptFailure,
    Step,
)
from engine.script.parser import parse
from engine.script.patterns import event_text
from engine.script.stage import LocalStage, NoShuffle, NotOffered, Opening, Stage
from engine.visibility import AUDITOR

__all__ = ["MatchesLines", "Verdict", "opening_of", "run", "run_local", "run_text"]

T = TypeVar("T")


class Verdict(NamedTuple):
    """What became of a script: ``failure`` is None when every line held."""

    script: Script
    failure: ScriptFailure | None


@runtime_checkable
class MatchesLines(Protocol):
    """A game with its own idea of when a position line is as a check says."""

    def line_matches(self, found: Mapping[str, str], key: str, expected: str) -> bool | None:
        """Whether ``= key expected`` holds among the lines found; None: compare as usual."""
        ...


def opening_of(header: Header) -> Opening:
    """What a header asks of a stage."""
    return Opening(
        has_table=header.has_table,
        options=header.options,
        start=header.start,
        seats=header.seats,
        actions=header.actions,
        decks=tuple(deck.cards for deck in header.decks),
        given=tuple(header.position),
    )


async def run(script: Script, stage: Stage) -> None:
    """Play a script; raises ``ScriptFailure`` for the first line that does not hold.

    Raises ``ScriptError`` for what shows only now: a header that is refused, a position that
    cannot arise, a shuffle that no ``deck:`` line supplies, a key that no position has.
    """
    await _Run(script, stage).run()


def run_text(text: str, file: str, games: Mapping[str, AnyGame] = GAMES) -> tuple[Verdict, ...]:
    """Play all scripts of a text with the engine in process; raises ``ScriptError``."""
    found: list[Verdict] = []
    for script in parse(text, file, games):
        try:
            _finish(run(script, LocalStage(script.header.game)))
        except ScriptFailure as failure:
            found.append(Verdict(script, failure))
        else:
            found.append(Verdict(script, None))
    return tuple(found)


def run_local(path: str | Path, games: Mapping[str, AnyGame] = GAMES) -> tuple[Verdict, ...]:
    """Play all scripts of a file with the engine in process; raises ``ScriptError``."""
    return run_text(Path(path).read_text(encoding="utf-8"), str(path), games)


def _finish(waiting: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that has nothing to wait for."""
    try:
        waiting.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    waiting.close()
    raise RuntimeError("a stage in process waited for something")


class _Run:
    """One script on one stage: the step the checks speak of, and how far they have read it."""

    def __init__(self, script: Script, stage: Stage) -> None:
        self._script = script
        self._stage = stage
        self._step = ""
        self._events: tuple[Event, ...] = ()
        self._read: dict[int, int] = {}

    async def run(self) -> None:
        await self._open()
        for line in self._script.lines:
            await self._do(line)

    async def _open(self) -> None:
        header = self._script.header
        try:
            await self._stage.open(opening_of(header))
        except Refused as refused:
            at = header.place(_BLAMED.get(refused.reason, "seats"), "start", "seats", "opts")
            raise ScriptError(at, f"the header is refused: {refused}") from refused
        except PositionError as error:
            raise ScriptError(_place_of(header, str(error)), str(error)) from error
        except NoShuffle as error:
            at = _deck(header, error.deck) or header.place("start", "seats")
            raise ScriptError(at, str(error)) from error

    async def _do(self, line: Line) -> None:
        match line:
            case Step():
                await self._act(line)
            case ExpectEvent():
                await self._expect_event(line)
            case ExpectTypes():
                found = tuple(type(event).__name__ for event in self._events)
                if found != line.names:
                    await self._fail(line, " ".join(line.names) or "none", " ".join(found))
            case ExpectLine():
                await self._expect_line(line)
            case ExpectLegal():
                offered = await self._stage.legal(line.seat)
                if frozenset(offered) != line.names:
                    names = " ".join(dict.fromkeys(offered))  # one for several offers
                    await self._fail(line, " ".join(sorted(line.names)), names)
            case ExpectPlays():
                await self._expect_plays(line)

    # --- steps ------------------------------------------------------------------------------

    async def _act(self, step: Step) -> None:
        before = await self._position() if step.refusal is not None else ""
        self._step = f"{step.text} (line {step.at.line})"
        self._events = ()
        self._read = {}
        try:
            self._events = await self._stage.act(step.actor, step.action)
        except Refused as refused:
            if step.refusal is None:
                await self._fail(step, "accepted", f"refused: {refused}")
            if refused.reason != step.refusal:
                await self._fail(step, f"refused: {step.refusal}", f"refused: {refused}")
            if await self._position() != before:
                await self._fail(step, f"nothing changes:\n{before}", "another position")
        except NoShuffle as error:
            at = _deck(self._script.header, error.deck) or step.at
            raise ScriptError(at, str(error)) from error
        else:
            if step.refusal is not None:
                told = " ".join(type(event).__name__ for event in self._events)
                await self._fail(step, f"refused: {step.refusal}", f"accepted: {told}")

    # --- checks -----------------------------------------------------------------------------

    async def _expect_event(self, line: ExpectEvent) -> None:
        events = self._events
        if line.viewer != AUDITOR:
            # A refused step has no events, whatever the stage still holds of the one before.
            events = await self._stage.events(line.viewer) if self._events else ()
        start = self._read.get(line.viewer, 0)
        for index in range(start, len(events)):
            if line.event.matches(events[index]):
                self._read[line.viewer] = index + 1
                return
        rest = "".join(f"\n    {event_text(event)}" for event in events[start:])
        await self._fail(line, "such an event", rest or "no further event")

    async def _expect_line(self, line: ExpectLine) -> None:
        game = self._script.header.game
        shown = dict(await self._stage.lines(line.viewer))
        found = {**dict(await self._stage.derived(line.viewer)), **shown}
        rules: object = game
        if isinstance(rules, MatchesLines):
            verdict = rules.line_matches(found, line.key, line.value)
            if verdict is not None:
                if not verdict:
                    await self._fail(line, line.value, _found(found, line.key))
                return
        default = game.defaults().get(line.key)
        if line.key not in found and default is None and not _is_key(game, line.key):
            raise ScriptError(line.at, f"no position of {game.key} has a key {line.key!r}")
        actual = found.get(line.key, default)
        if actual is None:
            if _plain(line.value) != "none":
                await self._fail(line, line.value or "such a line", "no such line")
        elif _plain(actual) != _plain(line.value):
            await self._fail(line, line.value or "a line without a value", actual or "no value")

    async def _expect_plays(self, line: ExpectPlays) -> None:
        # One more than expected is listed, so that a surplus shows.
        limit = 0 if line.listed is None else len(line.listed) + 1
        try:
            plays = await self._stage.plays(line.seat, limit)
        except NotOffered as error:
            raise ScriptError(line.at, str(error)) from error
        if line.listed is not None and (plays.texts != line.listed or plays.truncated):
            more = " …" if plays.truncated else ""
            found = " ".join(plays.texts) or "-"
            await self._fail(line, " ".join(line.listed) or "-", found + more)
        counts = {"total": sum(plays.counts.values()), **plays.counts}
        for kind, count in line.counts:
            if kind not in counts:
                raise ScriptError(line.at, f"plays are not counted as {kind!r}")
            if counts[kind] != count:
                told = " ".join(f"{name}={number}" for name, number in counts.items())
                await self._fail(line, f"{kind}={count}", told)

    # --- reports ----------------------------------------------------------------------------

    async def _position(self) -> str:
        return text_of_lines(await self._stage.lines(AUDITOR))

    async def _fail(self, line: Line, expected: str, found: str) -> NoReturn:
        raise ScriptFailure(
            line.at,
            text=line.text,
            step=self._step,
            expected=expected or "none",
            found=found or "none",
            position=await self._position(),
        )


_BLAMED = {"INVALID_OPTIONS": "opts"}
"""The header line that a refusal of the header speaks of, where its reason tells."""


def _deck(header: Header, index: int) -> At | None:
    return header.decks[index].at if index < len(header.decks) else None


def _place_of(header: Header, message: str) -> At:
    """The ``given:`` line that a :class:`PositionError` names, else the first one."""
    for line in reversed(header.given):
        if message.startswith(f"{line.key}:") or f"{line.key!r}" in message:
            return line.at
    return header.place("given", "start")


_PLAIN: Mapping[str, str] = {"-": "none", "true": "yes", "false": "no"}


def _plain(value: str) -> str:
    """A value with one spelling for truth and absence (2.7)."""
    return _PLAIN.get(value, value)


def _found(found: Mapping[str, str], key: str) -> str:
    return found.get(key) or "no such line"


def _is_key(game: AnyGame, key: str) -> bool:
    """Whether positions of the game may have a line of this key: reading one tells."""
    try:
        game.place(game.initial(), [(key, "")])
    except PositionError as error:
        return not str(error).startswith("unknown key")
    return True
