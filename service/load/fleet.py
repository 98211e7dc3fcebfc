"""The processes of a run, seen from the command: started, heard, added up, ended."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Final, NamedTuple, Protocol, Self, TypeVar

from engine.errors import KartejoError
from service.load.latency import Latencies
from service.load.process import Begin, Ended, Failed, Opened, Stopped
from service.load.tally import Sample

__all__ = ["Broken", "Fleet", "Measured", "Second"]

LEAD_SECONDS: Final = 0.2
"""From the word to begin until the beginning, so that all processes begin together."""

END_SECONDS: Final = 10.0


class Broken(KartejoError):
    """A process of the generator ended too early; ``reason`` and text are its own."""

    def __init__(self, reason: str, what: str) -> None:
        self.reason = reason
        super().__init__(what)


class Second(NamedTuple):
    """What all processes did in one second of the run."""

    second: int
    actions: int
    events: int
    pushed: int
    errors: int
    p50: float
    p99: float
    worst: float


class Measured:
    """Everything that was measured, added up as it comes."""

    def __init__(self) -> None:
        self.latencies = Latencies()
        self.lags = Latencies()
        self.actions = self.events = self.pushed = self.retries = self.missed = 0
        self.errors: Counter[str] = Counter()
        self.gone: Counter[str] = Counter()
        self.thought = 0.0
        self.seconds: list[Second] = []
        self.elapsed = 0.0
        self.cpu_share = 0.0
        """How much of a processor the busiest process used, 0 to 1."""
        self._parts: dict[int, list[Sample]] = {}

    def take(self, sample: Sample) -> None:
        """A sample of a process."""
        self.lags.add(Latencies.decode(sample.lags))
        self.actions += sample.actions
        self.events += sample.events
        self.pushed += sample.pushed
        self.retries += sample.retries
        self.errors.update(sample.errors)
        self.thought += sample.thought
        self.elapsed = max(self.elapsed, sample.until)
        self.cpu_share = max(self.cpu_share, sample.cpu / sample.until)
        self._parts.setdefault(sample.number, []).append(sample)

    def close(self, second: int) -> Second:
        """Add up what happened in a second, which is over everywhere."""
        parts = self._parts.pop(second, [])
        latencies = Latencies()
        for part in parts:
            latencies.add(Latencies.decode(part.latencies))
        self.latencies.add(latencies)
        told = Second(
            second,
            sum(part.actions for part in parts),
            sum(part.events for part in parts),
            sum(part.pushed for part in parts),
            sum(sum(part.errors.values()) for part in parts),
            latencies.percentile(50),
            latencies.percentile(99),
            latencies.worst,
        )
        self.seconds.append(told)
        return told

    def close_all(self) -> Iterator[Second]:
        """The seconds that are left."""
        for second in sorted(self._parts):
            yield self.close(second)


class _Process(NamedTuple):
    number: int
    process: Any
    pipe: Connection


class Addable(Protocol):
    """What a verification comes to."""

    def __add__(self, other: Any, /) -> Self:
        """Both together."""


C = TypeVar("C", bound=Addable)


class Numbered(Protocol):
    """What a process is to do; it has a number of its own."""

    @property
    def number(self) -> int:
        """From 0."""


class Fleet:
    """Processes that play; use it as a context manager."""

    def __init__(self, main: Callable[[Any, Connection], None], shares: Sequence[Numbered]) -> None:
        # Not forked: gRPC and its threads do not survive that.
        context = multiprocessing.get_context("spawn")
        self._processes: list[_Process] = []
        for share in shares:
            ours, theirs = context.Pipe()
            process = context.Process(target=main, args=(share, theirs), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(_Process(share.number, process, ours))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        until = time.monotonic() + END_SECONDS
        for each in self._processes:
            each.pipe.close()  # whoever still plays hears that nobody listens
        for each in self._processes:
            each.process.join(max(0.0, until - time.monotonic()))
            if each.process.is_alive():
                each.process.kill()
                each.process.join()

    def _messages(self) -> Iterator[tuple[int, Any]]:
        """What the processes say, without end; raises :class:`Broken`."""
        pipes: dict[Any, _Process] = {each.pipe: each for each in self._processes}
        while True:
            for ready in wait(list(pipes)):
                each = pipes[ready]
                try:
                    told = each.pipe.recv()
                except (EOFError, OSError):
                    each.process.join(END_SECONDS)
                    what = f"process {each.number} has ended, exit code {each.process.exitcode}"
                    raise Broken("GENERATOR_FAILED", what) from None
                if isinstance(told, Failed):
                    raise Broken(told.reason, told.what)
                if isinstance(told, Ended):
                    del pipes[ready]  # it will hang up
                yield each.number, told

    def open(self, parts: int, told: Callable[[int], None]) -> list[Opened]:
        """Wait until all tables are open, all players in; ``told`` hears how many are."""
        found: list[Opened] = []
        for _, opened in self._messages():
            found.append(opened)
            told(len(found))
            if len(found) == parts:
                break
        return found

    def gather(self) -> list[Any]:
        """One message of each process, in their order."""
        found: dict[int, Any] = {}
        for number, message in self._messages():
            found[number] = message
            if len(found) == len(self._processes):
                break
        return [found[each.number] for each in self._processes]

    def hand_out(self, messages: Sequence[object]) -> None:
        """To each process its own, in their order."""
        for each, message in zip(self._processes, messages, strict=True):
            each.pipe.send(message)

    def begin(self) -> float:
        """Play from the moment that is returned, seconds of ``time.monotonic``."""
        start = time.monotonic() + LEAD_SECONDS
        for each in self._processes:
            each.pipe.send(Begin(start))
        return start

    def stop(self) -> None:
        """Play no longer."""
        for each in self._processes:
            each.pipe.send(None)

    def measure(self, measured: Measured, told: Callable[[Second], None]) -> None:
        """Take in what is measured until nobody plays any more; ``told`` hears of each second."""
        stopped: set[int] = set()
        samples: Counter[int] = Counter()
        for number, message in self._messages():
            if isinstance(message, Stopped):
                stopped.add(number)
                measured.missed += message.missed
                measured.gone.update(message.gone)
                if len(stopped) == len(self._processes):
                    break
                continue
            measured.take(message)
            samples[message.number] += 1
            if samples[message.number] == len(self._processes):
                told(measured.close(message.number))
        for late in measured.close_all():
            told(late)

    def verify(self, found: C, told: Callable[[C], None]) -> C:
        """Wait until every process has ended; what all verifications came to together.

        ``found``: an empty one to begin with.
        """
        kind = type(found)
        ended: set[int] = set()
        for number, message in self._messages():
            if isinstance(message, kind):
                found = found + message
                told(found)
                continue
            ended.add(number)
            if len(ended) == len(self._processes):
                break
        return found
