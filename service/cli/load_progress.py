"""How a load goes, while it does: lines for pipes, a picture on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from service.cli.console import Output
from service.load.fleet import Measured, Second

__all__ = ["OnTerminal", "Plain", "picture", "progress_on"]

Draw = Callable[[Second], Table]
"""Makes the picture of a second that is over."""


def progress_on(out: Output) -> Plain | OnTerminal:
    """What suits the output."""
    return OnTerminal(out) if out.is_terminal else Plain(out)


class Plain:
    """Lines, for pipes."""

    def __init__(self, out: Output) -> None:
        self._out = out

    @contextmanager
    def counting(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        self._out.print(f"{what}: {total:,}", markup=False)
        yield lambda _: None

    @contextmanager
    def playing(self, draw: Draw) -> Iterator[Callable[[Second], None]]:
        del draw
        yield lambda second: self._out.print(_line(second), markup=False)


class OnTerminal:
    """Bars, and one picture that is drawn anew every second."""

    def __init__(self, out: Output) -> None:
        self._out = out

    @contextmanager
    def counting(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=self._out, transient=True) as progress:
            task = progress.add_task(what, total=total)
            yield lambda done: progress.update(task, completed=done)

    @contextmanager
    def playing(self, draw: Draw) -> Iterator[Callable[[Second], None]]:
        with Live(console=self._out, transient=True, auto_refresh=False) as live:
            yield lambda second: live.update(draw(second), refresh=True)


def _line(second: Second) -> str:
    return (
        f"{second.second + 1:>5} s  {second.actions:>7,} actions  "
        f"p50 {1_000 * second.p50:>8.2f}  p99 {1_000 * second.p99:>8.2f}  "
        f"max {1_000 * second.worst:>8.2f} ms  {second.pushed:>8,} pushed  "
        f"{second.errors:>5,} errors"
    )


BARS: Final = "▁▂▃▄▅▆▇█"


def picture(whole: str, measured: Measured, second: Second) -> Table:
    """The last second, and how it went up to it; ``whole``: how long all of it takes."""
    recent = [each.actions for each in measured.seconds[-60:]]
    highest = max(*recent, 1)
    curve = "".join(BARS[(len(BARS) - 1) * actions // highest] for actions in recent)
    found = Table.grid(padding=(0, 2))
    found.add_row("time", f"{second.second + 1} of {whole}")
    found.add_row("actions", Text(f"{second.actions:,} a second  {curve}", style="bold"))
    found.add_row(
        "latency",
        f"p50 {1_000 * second.p50:.2f}, p99 {1_000 * second.p99:.2f}, "
        f"max {1_000 * second.worst:.2f} ms",
    )
    found.add_row("pushed", f"{second.pushed:,} events a second")
    errors = ", ".join(f"{n:,} {reason}" for reason, n in measured.errors.most_common(4))
    found.add_row("errors", Text(errors or "none", style="yellow" if errors else ""))
    found.add_row("generator", f"{measured.cpu_share:.0%} of a processor")
    return found
