"""The stage on which hand scripts are played over gRPC: a lab table for every script (design 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.actions import Action, OpenTable, TakeSeat
from engine.errors import Malformed, Refused
from engine.events import DeckShuffled, Event, HouseEvent
from engine.kernel import HOST, AnyGame, Lines, PositionError, View
from engine.notation import text_of_lines
from engine.script import NoShuffle, NotOffered, Opening, Plays
from engine.visibility import AUDITOR, MAX_SEATS, seat_viewer
from service.client.connection import Client, request_id
from service.pb import common_pb2, table_service_pb2
from service.pb import lab_service_pb2 as pb

__all__ = ["LabStage"]


class LabStage:
    """Plays one script on a lab table of its own; see ``engine.script.Stage``."""

    def __init__(self, client: Client, game: AnyGame) -> None:
        self._client = client
        self._game = game
        self._table = ""
        self._before = 0
        self._version = 0
        self._decks: tuple[tuple[int, ...], ...] = ()
        self._shuffles = 0

    async def open(self, opening: Opening) -> None:
        """See ``Stage``."""
        self._decks = opening.decks
        if not opening.has_table:
            return
        await self._open_table(opening.options, opening.start)
        if opening.given:
            await self._place(text_of_lines(list(opening.given)))
        for seat, chips in opening.seats:
            await self._do(seat, TakeSeat(f"p{seat}", chips))
        for action in opening.actions:
            await self._do(HOST, action)
        self._before = self._version

    async def act(self, actor: int, action: Action) -> tuple[Event, ...]:
        """See ``Stage``."""
        self._before = self._version
        if not self._table and isinstance(action, OpenTable):
            await self._open_table(action.options, action.start)
            return await self.events(AUDITOR)
        return await self._do(actor, action)

    async def events(self, viewer: int) -> tuple[Event, ...]:
        """See ``Stage``."""
        if not self._table:
            return ()
        return self._of_game((await self._look(viewer, self._before)).events)

    async def lines(self, viewer: int) -> Lines:
        """See ``Stage``."""
        view = await self._view(viewer)
        return [] if view is None else self._game.lines(view)

    async def derived(self, viewer: int) -> Lines:
        """See ``Stage``."""
        view = await self._view(viewer)
        return [] if view is None else self._game.derived(view)

    async def legal(self, seat: int) -> tuple[str, ...]:
        """See ``Stage``."""
        if not self._table:
            return ()
        answer = await self._look(seat_viewer(seat), self._version)
        return tuple(offer.action for offer in answer.state.offers)

    async def plays(self, seat: int, limit: int) -> Plays:
        """See ``Stage``."""
        # A list of none stands for a standard one: one play is listed, and left out again.
        request = pb.LookPlaysRequest(table_id=self._table, seat=seat, limit=max(limit, 1))
        try:
            answer = await self._client.call(self._client.labs.LookPlays, request)
        except Refused as refused:
            if refused.reason == "PLAYS_NOT_LISTED":
                raise NotOffered(f"{self._game.key} does not list its plays") from None
            raise
        counts = {each.kind: each.count for each in answer.plays.counts}
        texts = tuple(play.text for play in answer.plays.plays[:limit])
        return Plays(counts, texts, sum(counts.values()) > len(texts))

    # --- calls --------------------------------------------------------------------------------

    async def _open_table(self, options: Mapping[str, str], start: Mapping[str, str]) -> None:
        labs = self._client.labs
        request = pb.OpenLabTableRequest(
            request_id=request_id(), game=self._game.key, options=options, start=start
        )
        answer = await self._client.call(labs.OpenLabTable, request)
        self._table, self._version = answer.table_id, answer.version
        for deck in self._decks:
            stack = pb.StackDeckRequest(request_id=request_id(), table_id=self._table, cards=deck)
            self._version = (await self._client.call(labs.StackDeck, stack)).version

    async def _place(self, position: str) -> None:
        request = pb.SetPositionRequest(
            request_id=request_id(), table_id=self._table, position=position
        )
        try:
            answer = await self._client.call(self._client.labs.SetPosition, request)
        except Malformed as error:
            raise PositionError(error.why) from None
        self._version = answer.version

    async def _do(self, actor: int, action: Action) -> tuple[Event, ...]:
        """Act, and see to it that the shuffles came from the script."""
        request = pb.ActRequest(
            request_id=request_id(),
            table_id=self._table,
            seat=actor,
            action=self._client.codec.action_to_wire(action),
        )
        try:
            answer = await self._client.call(self._client.labs.Act, request)
        except Refused as refused:
            if refused.detail.get("field") == "deck":
                told = "the next shuffle has not all of these cards"
                raise NoShuffle(self._shuffles, told) from None
            raise
        self._version = answer.version
        events = self._of_game(answer.events)
        shuffles = [event for event in events if isinstance(event, DeckShuffled)]
        self._shuffles += len(shuffles)
        if self._shuffles > len(self._decks):
            told = f"no deck: line is left for the shuffle {shuffles[-1].purpose}"
            raise NoShuffle(len(self._decks), told)
        return events

    async def _look(self, viewer: int, after_version: int) -> pb.LookResponse:
        request = pb.LookRequest(
            table_id=self._table, viewer=_viewer(viewer), after_version=after_version
        )
        return await self._client.call(self._client.labs.Look, request)

    async def _view(self, viewer: int) -> View | None:
        if not self._table:
            return None
        answer = await self._look(viewer, self._version)
        return self._client.codec.view_from_wire(answer.state.view)

    def _of_game(self, told: Iterable[table_service_pb2.TableEvent]) -> tuple[Event, ...]:
        from_wire = self._client.codec.event_from_wire
        events = [from_wire(each.event) for each in told]
        return tuple(event for event in events if not isinstance(event, HouseEvent))


def _viewer(mask: int) -> common_pb2.Viewer:
    if mask & AUDITOR:
        return common_pb2.Viewer(auditor=True)
    for seat in range(MAX_SEATS):
        if mask & seat_viewer(seat):
            return common_pb2.Viewer(seat=seat)
    return common_pb2.Viewer(observer=True)
