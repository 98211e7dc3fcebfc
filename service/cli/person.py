"""A person at a table: see, choose, act, and hear what the others do meanwhile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from contextlib import aclosing
from typing import Any, Final, Self

from rich.text import Text

from engine.actions import Action, AddChips, LeaveSeat, SitIn, SitOut
from engine.errors import Conflict, Denied, KartejoError, Malformed, Refused
from engine.kernel import AnyGame
from service.cli.console import Output
from service.cli.draw.offers import explained
from service.cli.draw.story import STORIES, story
from service.cli.keyboard import Keyboard
from service.cli.reasons import plain
from service.cli.telling import draw_state
from service.client import Client, Sitting
from service.client.offers import BadChoice, aside, asides, choose, offer_text
from service.client.sitting import News, follow
from service.pb import table_service_pb2 as pb

__all__ = ["Feed", "Leave", "Onlooker", "Person"]

_AT_ANY_TIME: Final[dict[str, type[Action]]] = {
    "leave": LeaveSeat,
    "leave_seat": LeaveSeat,
    "sit_out": SitOut,
    "sit_in": SitIn,
}


class Leave(Exception):
    """The player has had enough."""


class Feed:
    """News of a table, one after the other; an async context manager."""

    def __init__(self, client: Client, table_id: str, after_version: int) -> None:
        self._client = client
        self._table = table_id
        self._after = after_version
        self._news: asyncio.Queue[News | KartejoError] = asyncio.Queue(64)
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self) -> None:
        try:
            async with aclosing(follow(self._client, self._table, self._after)) as messages:
                async for news in messages:
                    await self._news.put(news)
        except KartejoError as error:
            await self._news.put(error)

    async def next(self) -> News:
        """The next message; raises what the news ended with."""
        news = await self._news.get()
        if isinstance(news, KartejoError):
            raise news
        return news


class Onlooker:
    """Tells and draws what happens at a table."""

    def __init__(
        self, client: Client, out: Output, game: AnyGame, state: pb.TableState, me: int | None
    ) -> None:
        self._codec = client.codec
        self._out = out
        self._game = game
        self._me = me
        self._told = state.version

    def hear(self, news: News) -> bool:
        """Tell what is new; whether anything was."""
        fresh = [each for each in news.events if each.version > self._told]
        self._told = max(self._told, news.version)
        if self._game.key in STORIES:
            events = [self._codec.event_from_wire(each.event) for each in fresh]
            for sentence in story(self._game.key, events, self._out.faces, self._me):
                self._out.print(Text("  ").append_text(sentence))
        return bool(fresh)

    def draw(self, state: pb.TableState) -> None:
        """The table as it stands."""
        self._out.print()
        self._out.print(draw_state(self._codec, self._out, self._game.key, state, self._me))

    async def watch(self, feed: Feed) -> None:
        """Until the table is closed."""
        while True:
            news = await feed.next()
            if self.hear(news) and news.HasField("state"):
                self.draw(news.state)
            view = self._codec.view_from_wire(news.state.view) if news.HasField("state") else None
            if getattr(view, "phase", "") == "CLOSED":
                return


class Person(Onlooker):
    """The loop of somebody at a seat."""

    def __init__(
        self,
        client: Client,
        out: Output,
        game: AnyGame,
        table: pb.Table,
        sitting: Sitting,
        keyboard: Keyboard,
    ) -> None:
        super().__init__(client, out, game, sitting.state, sitting.seat)
        self._sitting = sitting
        self._keyboard = keyboard
        self._alone = table.seat_count == 1
        self._by_itself = any(
            option.name == "auto_start" and option.value == "true" for option in table.house_options
        )
        self._is_host = any(
            seat.seat == sitting.seat and seat.player == table.host for seat in table.seats
        )
        self._typing: asyncio.Task[str] | None = None
        self._listening: asyncio.Task[News] | None = None
        self._prompted = -1
        self._seen: tuple[pb.TableState, float] | None = None

    async def play(self, feed: Feed) -> None:
        """Until the seat is given up; raises :class:`Leave`, ``EOFError`` and what calls may."""
        self.draw(self._sitting.state)
        try:
            while self._sitting.seat in self._sitting.state.seats:
                heard = await self._next(feed)
                if isinstance(heard, str):
                    await self._typed(heard, feed)
                elif self.hear(heard):
                    self._take(heard)
        finally:
            tasks = [task for task in (self._typing, self._listening) if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._out.print("You have left the table.")

    def _take(self, news: News) -> None:
        if news.HasField("state") and news.version >= self._sitting.state.version:
            was_asked = self._sitting.is_asked
            self._sitting.state = news.state
            state = news.state
            if was_asked and not self._sitting.is_asked:
                self._out.print("[yellow]This decision is over.[/]")
            if state.offers or not state.HasField("decision"):
                self.draw(state)

    # --- waiting ------------------------------------------------------------------------------

    async def _next(self, feed: Feed) -> News | str:
        """A line that was typed, or news, whichever comes first."""
        listens = self._prompt()
        waits: set[asyncio.Task[Any]] = set()
        if self._listening is None:
            self._listening = asyncio.create_task(feed.next())
        waits.add(self._listening)
        if listens:
            if self._typing is None:
                self._typing = asyncio.create_task(self._keyboard.line())
            waits.add(self._typing)
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if self._listening in done:
            news, self._listening = self._listening.result(), None
            if listens and news.events and self._keyboard.is_terminal:
                self._out.print()  # the prompt's line ends here
            return news
        if self._typing is None:
            raise AssertionError("nobody typed and nothing was heard")
        typed, self._typing = self._typing.result(), None
        self._prompted = -1
        if typed.lower() in {"q", "quit"}:
            raise Leave
        return typed

    def _prompt(self) -> bool:
        """Say once what is awaited; whether a line is read now.

        Lines of a pipe are answers: none is taken while there is nothing to answer.
        """
        state = self._sitting.state
        seconds = self._seconds_left(state)
        if state.offers:
            said, listens = f"your turn ({seconds} s), q leaves:", True
        elif state.HasField("decision"):
            said, listens = "waiting for the others …", self._keyboard.is_terminal
        elif self._by_itself:
            said, listens = "the next hand starts by itself …", self._keyboard.is_terminal
        elif self._alone or self._is_host:
            said, listens = "Enter starts the next hand, q leaves:", True
        else:
            said, listens = "the host starts the next hand …", self._keyboard.is_terminal
        if self._prompted != state.version:
            self._prompted = state.version
            if state.offers:
                self._list_offers(state)
            elif not state.HasField("decision"):
                self._say_what_is_missing(state)
            if said.endswith(":"):
                self._out.print(f"[bold cyan]{said}[/] ", end="")
            elif self._keyboard.is_terminal:
                self._out.print(f"[dim]{said}[/]")
        return listens

    def _seconds_left(self, state: pb.TableState) -> int:
        """Seconds for the running decision; those count that went by since the state came."""
        now = asyncio.get_running_loop().time()
        if self._seen is None or self._seen[0] is not state:
            self._seen = state, now
        gone = now - self._seen[1]
        return max(0, int(state.decision.remaining_ms / 1_000 - gone))

    def _say_what_is_missing(self, state: pb.TableState) -> None:
        """Why the next hand would begin without this player, if it would."""
        view = self._codec.view_from_wire(state.view)
        seat = self._sitting.seat
        stacks: tuple[int, ...] | None = getattr(view, "stacks", None)
        if seat in getattr(view, "out", ()):
            self._out.print("[yellow]You sit out: sit_in takes part again.[/]")
        elif stacks is not None and not stacks[seat]:
            self._out.print("[yellow]You have no chips: add_chips N brings some.[/]")

    def _list_offers(self, state: pb.TableState) -> None:
        view = self._codec.view_from_wire(state.view)
        self._out.print()
        widest = max(len(offer_text(offer)) for offer in state.offers)
        for number, offer in enumerate(state.offers, 1):
            told = explained(view, self._sitting.seat, offer, self._out.faces)
            line = Text(f"  {number}  {offer_text(offer)}")
            if told:
                told.stylize("dim")
                line.pad_right(max(0, widest + 7 - len(line)))
                line.append_text(told)
            self._out.print(line)

    # --- doing --------------------------------------------------------------------------------

    async def _typed(self, typed: str, feed: Feed) -> None:
        """Do what was typed, then tell what came of it."""
        state = self._sitting.state
        word, _, rest = typed.partition(" ")
        if word == "?":
            await self._sitting.look()
            self.draw(self._sitting.state)
        elif word in _AT_ANY_TIME and rest:
            self._say_no(f"{word} stands alone; not understood: {rest}")
        elif word in _AT_ANY_TIME:
            await self._do(self._sitting.act(_AT_ANY_TIME[word]()), feed)
        elif word == "add_chips":
            amount = rest.removeprefix("amount=").strip()
            if not re.fullmatch(r"[0-9]{1,18}", amount):
                self._out.print("[red]no:[/] say add_chips and how many")
                return
            await self._do(self._sitting.act(AddChips(int(amount))), feed)
        elif word in asides(self._game) and all(each.action != word for each in state.offers):
            try:
                action = aside(self._game, self._sitting.seat, typed)
            except BadChoice as error:
                self._say_no(str(error))
                return
            await self._do(self._sitting.act(action), feed)
        elif state.offers:
            try:
                action = choose(self._game, self._sitting.seat, state.offers, typed)
            except BadChoice as error:
                self._say_no(str(error))
                return
            await self._do(self._sitting.act(action), feed)
        elif not typed and not state.HasField("decision"):
            await self._do(self._sitting.start(), feed)
        else:
            more = "".join(f", {each}" for each in asides(self._game))
            self._say_no(
                f"now you may leave, sit_out, sit_in, add_chips N{more}; q leaves the program"
            )

    def _say_no(self, why: str) -> None:
        self._out.print("[red]no:[/]", Text(why))

    async def _do(self, doing: Awaitable[None], feed: Feed) -> None:
        try:
            await doing
        except Refused as error:
            self._say_no(plain(error))
            return
        except (Denied, Malformed) as error:
            self._say_no(str(error))
            return
        except Conflict as error:
            self._out.print("[yellow]the table has moved on:[/]", Text(str(error)))
            await self._sitting.look()
        await self._until(self._sitting.state.version, feed)
        state = self._sitting.state
        if state.offers or not state.HasField("decision") or self._game.key not in STORIES:
            self.draw(state)

    async def _until(self, version: int, feed: Feed) -> None:
        """Tell everything up to a version."""
        while self._told < version:
            if self._listening is None:
                self._listening = asyncio.create_task(feed.next())
            news, self._listening = await self._listening, None
            self.hear(news)
            if news.HasField("state") and news.version > self._sitting.state.version:
                self._sitting.state = news.state
