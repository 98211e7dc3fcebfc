"""What commands print: rich on a terminal, plain lines in a pipe, JSON for programs."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from service.cli.draw.cards import Faces
from service.cli.harmless import in_json, in_lines

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp

__all__ = ["Output", "moment", "print_json", "program"]


WIDE: Final = 400


class Output(Console):
    """Standard output.  ``faces``: how cards are written there."""

    def __init__(self) -> None:
        # Piped lines belong to whoever reads them: nothing is coloured, cut or wrapped.
        piped = not sys.stdout.isatty()
        # A sign that this output does not know is no reason to end a game.
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        super().__init__(
            highlight=False, emoji=False, soft_wrap=piped, width=WIDE if piped else None
        )
        self.faces = Faces.for_encoding(self.encoding)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Whatever is printed: its texts are shown, and do nothing to the terminal."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(in_lines(text), style)

    def lines(self, lines: Iterable[str], style: str = "") -> None:
        """Lines as they are, without markup."""
        for line in lines:
            self.print(line, style=style, markup=False)


def print_json(value: object) -> None:
    """One JSON text on a line of its own."""
    text = in_json(json.dumps(value, ensure_ascii=False))
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value)
    print(text, flush=True)  # noqa: T201


def moment(stamp: Timestamp) -> str:
    """A time in UTC, to the millisecond, in ISO 8601."""
    at = datetime.fromtimestamp(stamp.seconds + stamp.nanos / 1e9, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def program() -> str:
    """How this program is called from where the user stands, as a shell reads it."""
    here = Path(sys.argv[0]).absolute()
    found = shutil.which("kartejo")
    if here.name != "kartejo" or (found and Path(found).absolute() == here):
        return "kartejo"
    near = here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here
    return shlex.quote(str(near))
