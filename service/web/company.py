"""Bots at tables, for people who play by the pages of a service on their own machine.

A bot is what ``kartejo play`` seats too: a caller of the public API with a token for one seat.  It
is known by its table and seat, so that it goes on where it sat after it, or the service, was away.
docs/decisions/0019-bots-for-browsers.md says why the service runs them.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import suppress
from typing import Any, Final, NamedTuple
from uuid import UUID

import structlog

from engine.actions import SitIn
from engine.errors import Denied, Exhausted, KartejoError, Malformed, Refused, Unavailable
from engine.games import GAMES
from service.bots import PlayLine, SeatRunner, bot_of, bots_for
from service.client import Client, Endpoint
from service.client.records import get_table
from service.client.sitting import Sitting
from service.identity import Role, Tokens
from service.pb import person_service_pb2 as person_pb
from service.pb import table_service_pb2 as pb
from service.web import json_form
from service.web.entrants import MOST as MOST_ENTRANTS
from service.web.entrants import Entrants, EntryWish

__all__ = ["PATH", "Company"]

log = structlog.get_logger(__name__)

PATH: Final = "/bots"
CHIPS: Final = 1_000
PONDER_MS: Final = 700
MOST_PONDERING_MS: Final = 5_000
MOST_AT_A_TABLE: Final = 9
MOST: Final = 36
TOKEN_SECONDS: Final = 7 * 86_400
PATIENCE_SECONDS: Final = 60.0
STAY_SECONDS: Final = 180.0
"""How long bots stay at a table that nobody asks about: a page that is open asks twice a minute,
one in the background every minute.  They must not play on for nobody."""


class _Wish(NamedTuple):
    table: str
    bots: int
    ponder_ms: int


class Company:
    """Seats bots at tables of the service at ``address``, until it is closed."""

    def __init__(self, address: str, tokens: Tokens) -> None:
        self._endpoint = Endpoint(address)
        self._tokens = tokens
        self._bots: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._ends: dict[str, asyncio.TimerHandle] = {}
        self._people: set[tuple[str, int, str]] = set()
        self._seating = asyncio.Lock()
        self._entrants = Entrants(self._endpoint, tokens)

    async def close(self) -> None:
        """End all bots; their seats stay theirs."""
        await self._entrants.close()
        tasks = tuple(self._bots.values())
        for table in tuple(self._ends):
            self._hold(table)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def answer(self, body: bytes, token: str) -> bytes:
        """``{"table": ID, "bots": 3, "ponderMs": 700}``: so many bots are to sit there in all.

        With a ``tournament`` in place of the table, so many are to be in that (``Entrants``).

        The answer names the seats where bots play.  What they had sat at before they are back at,
        and nobody is sent away: with 0 one asks who is there.  Raises what a call may;
        ``Denied`` for who neither hosts the table nor sits there, ``Refused`` where there is no
        room, ``Exhausted`` for more bots than one service runs.
        """
        wish = _read(body)
        if isinstance(wish, EntryWish):
            entries = await self._entrants.answer(wish, token)
            return json.dumps({"entries": entries}).encode() + b"\n"
        async with Client(self._endpoint, token, patience=0) as caller:
            table = await _his_table(caller, wish.table)
        async with self._seating:
            self._hold(table.table_id)
            try:
                seats = await self._seats(table, wish)
            finally:
                self._stay(table.table_id)
        return json.dumps({"seats": seats}).encode() + b"\n"

    def _hold(self, table: str) -> None:
        """Let bots play there until further notice."""
        if table in self._ends:
            self._ends.pop(table).cancel()

    def _stay(self, table: str) -> None:
        """Let bots play there for another while."""
        self._ends[table] = asyncio.get_running_loop().call_later(STAY_SECONDS, self._end, table)

    def _end(self, table: str) -> None:
        self._hold(table)
        self._people = {place for place in self._people if place[0] != table}
        for (at, _), task in self._bots.items():
            if at == table:
                task.cancel()

    async def _seats(self, table: pb.Table, wish: _Wish) -> list[int]:
        """Where bots play, once there are as many as wished for."""
        taken = {seat.seat for seat in table.seats}
        for each in table.seats:
            if await self._is_back(table, each):
                await self._seat(table, each.seat, wish)
        free = [seat for seat in range(table.seat_count) if seat not in taken]
        missing = wish.bots - len(self._at(table))
        if missing > len(free):
            raise Refused("NO_ROOM", free=len(free))
        if missing > 0 and any(
            option.name == "purse" and option.value != "free" for option in table.house_options
        ):
            raise Refused("BOTS_HAVE_NO_ACCOUNT")
        for seat in free[: max(0, missing)]:
            await self._seat(table, seat, wish)
        return self._at(table)

    def _at(self, table: pb.Table) -> list[int]:
        return sorted(seat for at, seat in self._bots if at == table.table_id)

    async def _is_back(self, table: pb.Table, taken: pb.Seat) -> bool:
        """Whether a bot of ours has that seat from earlier; then it takes part again."""
        person = table.table_id, taken.seat, taken.player
        if (table.table_id, taken.seat) in self._bots or person in self._people:
            return False
        async with self._client(table, taken.seat) as client:
            state = (await get_table(client, table.table_id)).state
            if taken.seat not in state.seats:
                self._people.add(person)
                return False
            with suppress(Refused):  # it was not sitting out
                await Sitting(client, state, taken.seat).act(SitIn())
            return True

    async def _seat(self, table: pb.Table, seat: int, wish: _Wish) -> None:
        """Have a bot play at a seat; returns when it sits, raises why it cannot."""
        if len(self._bots) >= MOST:
            raise Exhausted(f"{MOST} bots play here already, and that is as many as may")
        game = GAMES[table.game]
        name = "sensible" if "sensible" in bots_for(table.game) else "random"
        client = self._client(table, seat)
        runner = SeatRunner(
            PlayLine(client, table.table_id),
            seat,
            bot_of(game, name, secrets.randbits(64)),
            chips=_chips(table),
            rebuy=_chips(table),
            pause=wish.ponder_ms / 1_000,
        )
        task = asyncio.create_task(_play(client, runner), name=f"bot-{seat}")
        place = table.table_id, seat
        self._bots[place] = task
        task.add_done_callback(lambda _: self._bots.pop(place, None))
        sits = asyncio.create_task(runner.seated.wait())
        try:
            await asyncio.wait({sits, task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sits.cancel()
        if task.cancelled():
            raise Unavailable("bots are being sent home", retry_ms=0)
        if task.done():
            task.result()

    def _client(self, table: pb.Table, seat: int) -> Client:
        token = self._tokens.issue(
            f"bot of the pages {table.table_id} {seat}",
            {Role.PLAYER},
            TOKEN_SECONDS,
            table=UUID(table.table_id),
            seat=seat,
        )
        return Client(self._endpoint, token, patience=PATIENCE_SECONDS)


async def _play(client: Client, runner: SeatRunner) -> None:
    async with client:
        try:
            await runner.run()
        except KartejoError as error:
            log.warning("bot_stopped", seat=runner.seat, reason=error.reason)
            raise


async def _his_table(caller: Client, table_id: str) -> pb.Table:
    """The table, if the caller hosts it or sits there; he is asked for by his own token."""
    found = await get_table(caller, table_id)
    request = person_pb.GetProfileRequest()
    me = (await caller.call(caller.persons.GetProfile, request)).profile.player
    if found.table.host != me and not found.state.seats:
        raise Denied("bots are seated by the table's host, and by those who sit there")
    if found.table.game not in GAMES:
        raise Refused("NO_BOTS", game=found.table.game)
    return found.table


def _chips(table: pb.Table) -> int:
    """What a bot brings: the usual, within what the house takes."""
    limits = {option.name: option.value for option in table.house_options}
    return max(int(limits["min_buy_in"]), min(CHIPS, int(limits["max_buy_in"])))


def _read(body: bytes) -> _Wish | EntryWish:
    """Raises ``Malformed``."""
    asked = json_form.parse(body)
    for name in asked:
        if name not in {"table", "tournament", "bots", "ponderMs"}:
            what = "no such field; expected one of: table, tournament, bots, ponderMs"
            raise Malformed(name, what)
    ponder_ms = _number(asked, "ponderMs", PONDER_MS, MOST_PONDERING_MS)
    tournament = asked.get("tournament")
    if tournament is not None:
        if not isinstance(tournament, str) or "table" in asked:
            raise Malformed("tournament", "expected the id of a tournament, and no table beside it")
        return EntryWish(tournament, _number(asked, "bots", 0, MOST_ENTRANTS), ponder_ms)
    table = asked.get("table")
    if not isinstance(table, str) or not json_form.is_unicode(table):
        raise Malformed("table", "expected the id of a table")
    return _Wish(table, _number(asked, "bots", 0, MOST_AT_A_TABLE), ponder_ms)


def _number(asked: dict[str, Any], name: str, standard: int, most: int) -> int:
    value = asked.get(name, standard)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise Malformed(name, f"expected a whole number from 0 to {most}")
    return value
