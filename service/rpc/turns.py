"""Turns: of one caller a few calls begin at a time, his others wait in a line of his own.

What comes in one reading of a connection would be worked on in the order in which it came, and
everybody else's calls behind it.  Here nobody stands in another one's line: who has not begun more
than a few calls within the last milliseconds never waits, and who sends hundreds waits for himself.
"""

from __future__ import annotations

from asyncio import Future, get_running_loop
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from functools import partial
from math import ceil
from typing import Final

__all__ = ["Gate", "Turns"]

TURN_SECONDS: Final = 0.004
LEAST: Final = 2
"""How long a turn lasts, and how many one holder has at a time however slow he is to be."""

PAUSE_SECONDS: Final = 0.001
MOST_PAUSES: Final = 2
TOGETHER: Final = 4
"""Pauses before calls out of all lines go on: one, or two where others come meanwhile; and how many
go on after it.  Fewer would be kinder to those who come, but players who share a connection are
answered together and call together: one at a time, they lost half of their calls a second."""


class Gate:
    """What has waited is let on a few at a time, and while nothing else comes.

    gRPC hands over the calls that have come one by one, in the order in which they came: the first
    call of a player lies behind a flood until all of that was taken in.  So taking in goes first.
    """

    def __init__(self) -> None:
        self.came = 0
        """Calls that have come: to be counted by whoever takes them in."""
        self._seen = 0
        self._pauses = 0
        self._ready: deque[Callable[[], None]] = deque()

    def soon(self, go_on: Callable[[], None]) -> None:
        """Call it when it is its turn."""
        self._ready.append(go_on)
        if len(self._ready) == 1:
            self._pause()

    def _pause(self) -> None:
        self._seen = self.came
        get_running_loop().call_later(PAUSE_SECONDS, self._open)

    def _open(self) -> None:
        if self.came > self._seen and self._pauses < MOST_PAUSES:
            self._pauses += 1
        else:
            self._pauses = 0
            for _ in range(min(TOGETHER, len(self._ready))):
                self._ready.popleft()()
        if self._ready:
            self._pause()


class _Line:
    """Of one holder: turns that he has now, and what waits for one, in the order it came."""

    __slots__ = ("turns", "waiting")

    def __init__(self) -> None:
        self.turns = 0
        self.waiting: OrderedDict[Future[None], None] = OrderedDict()


class Turns:
    """``each_second``: calls of one holder that may begin in a second; 0: there is no limit.

    A turn lasts for ``TURN_SECONDS``, whatever becomes of its call: one that takes longer waits for
    something else than us, and keeps nobody waiting.
    """

    def __init__(self, each_second: int, gate: Gate) -> None:
        self._each = max(LEAST, ceil(each_second * TURN_SECONDS)) if each_second else 0
        self._gate = gate
        self._lines: dict[Hashable, _Line] = {}

    def __len__(self) -> int:
        """Holders of turns."""
        return len(self._lines)

    @property
    def waiting(self) -> int:
        """How many wait for a turn."""
        return sum(len(line.waiting) for line in self._lines.values())

    async def take(self, holder: Hashable) -> None:
        """Wait for a turn."""
        if not self._each:
            return
        line = self._lines.setdefault(holder, _Line())
        if line.turns < self._each:  # then nobody waits, for a turn that ends is passed on
            line.turns += 1
            self._begin(holder)
            return
        mine = get_running_loop().create_future()
        line.waiting[mine] = None
        try:
            await mine
        finally:
            line.waiting.pop(mine, None)

    def end(self) -> None:
        """From now on nobody waits, and who does goes on at once."""
        self._each = 0
        for line in self._lines.values():
            while line.waiting:
                following, _ = line.waiting.popitem(last=False)
                if not following.done():
                    following.set_result(None)

    def _begin(self, holder: Hashable) -> None:
        get_running_loop().call_later(TURN_SECONDS, self._end, holder)

    def _end(self, holder: Hashable) -> None:
        line = self._lines[holder]
        if line.waiting:
            self._gate.soon(partial(self._pass_on, holder))
            return
        line.turns -= 1
        if not line.turns:
            del self._lines[holder]

    def _pass_on(self, holder: Hashable) -> None:
        """To the next one of the line who still waits."""
        waiting = self._lines[holder].waiting
        while waiting:
            following, _ = waiting.popitem(last=False)
            if not following.done():
                following.set_result(None)
                self._begin(holder)
                return
        self._end(holder)
