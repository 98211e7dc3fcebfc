"""Messages of the public contract, built from tables and commits for one viewer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from uuid import UUID

from google.protobuf.timestamp_pb2 import Timestamp

from engine.entropy import takes_entropy
from engine.errors import Malformed, Unknown
from engine.house import Table, decision, running_hand
from engine.kernel import (
    AnyGame,
    Cards,
    Decision,
    Groups,
    Limit,
    Listing,
    Names,
    Offer,
    OneCard,
    Range,
)
from engine.notation import text_of_lines
from engine.occupancy import viewers
from engine.options import Option, text_of
from engine.visibility import seat_viewer
from service.codec import Codec, snake_case
from service.codec.wire import number_of, numbers_field, part_of
from service.host import eyes
from service.host.clocks import Clocks
from service.host.live import Live
from service.host.recorder import Recorded
from service.host.replay import Viewing
from service.identity import Principal
from service.pb import common_pb2, game_service_pb2, table_service_pb2
from service.store.commit import unpack_body

__all__ = ["Messages", "StateParts", "game_message", "table_id", "timestamp", "viewing"]

_EVENT: Final = table_service_pb2.TableEvent.DESCRIPTOR.fields_by_name
put_event_version: Final = number_of(_EVENT["version"].number)
put_event: Final = part_of(_EVENT["event"].number)
_STATE: Final = table_service_pb2.TableState.DESCRIPTOR.fields_by_name
put_table_id: Final = part_of(_STATE["table_id"].number)
put_version: Final = number_of(_STATE["version"].number)
put_view: Final = part_of(_STATE["view"].number)
put_text: Final = part_of(_STATE["text"].number)
put_decision: Final = part_of(_STATE["decision"].number)
put_offer: Final = part_of(_STATE["offers"].number)
STATE_SEATS: Final = _STATE["seats"].number
_DECISION: Final = common_pb2.Decision.DESCRIPTOR.fields_by_name
put_hand: Final = number_of(_DECISION["hand"].number)
put_number: Final = number_of(_DECISION["number"].number)
DECISION_SEATS: Final = _DECISION["seats"].number
put_remaining_ms: Final = number_of(_DECISION["remaining_ms"].number)

OFFERS: Final = 4_096
"""Offers whose bytes are kept: most that are made were made before."""

TABLES: Final = 4_096
"""Tables whose ids are known by their text: every action names one."""


@lru_cache(TABLES)
def table_id(text: str) -> UUID:
    """The stream of an opaque table id; one that is none of ours is not found.

    A table has one name: other spellings of its UUID are ids of no table.
    """
    try:
        found = UUID(text)
    except ValueError:
        raise Unknown("no such table") from None
    if str(found) != text:
        raise Unknown("no such table")
    return found


def timestamp(microseconds: int) -> Timestamp:
    """Microseconds since the Unix epoch as protobuf has them."""
    stamp = Timestamp()
    stamp.FromMicroseconds(microseconds)
    return stamp


def viewing(viewer: common_pb2.Viewer) -> Viewing:
    """Whose eyes a request asks for."""
    match viewer.WhichOneof("viewer"):
        case None:
            return Viewing()
        case "seat":
            return Viewing("seat", viewer.seat)
        case kind:
            if not getattr(viewer, kind):
                raise Malformed(f"viewer.{kind}", "expected true, or no viewer at all")
            return Viewing(kind)


def _spec(option: Option) -> game_service_pb2.OptionSpec:
    follows = option.default is None and not option.nullable
    return game_service_pb2.OptionSpec(
        name=option.name,
        kind=option.kind,
        default_value="" if follows else text_of(option.default),
        expected=option.expected,
        meaning=option.meaning,
        words=option.words,
        low=option.low,
        high=option.high,
        nullable=option.nullable,
    )


def game_message(game: AnyGame, house: Iterable[Option]) -> game_service_pb2.Game:
    """A game as the catalogue shows it."""
    return game_service_pb2.Game(
        game=game.key,
        title=game.TITLE,
        summary=game.SUMMARY,
        rules_revision=game.RULES,
        options=map(_spec, game.OPTIONS),
        start_facts=map(_spec, game.START_FACTS),
        house_options=map(_spec, house),
        actions=[snake_case(action.__name__) for action in game.ACTIONS],
        events=[event.__name__ for event in game.EVENTS],
    )


def _offer(offer: Offer) -> common_pb2.Offer:
    message = common_pb2.Offer(action=snake_case(offer.action.__name__))
    for limit in offer.limits:
        _put_limit(message.limits.add(field=limit.field), limit)
    for each in offer.together:
        message.together.add(fields=each.fields, weights=each.weights, most=each.most)
    return message


@lru_cache(OFFERS)
def _offer_part(offer: Offer) -> bytes:
    """An offer as a field of a state."""
    return put_offer(_offer(offer).SerializeToString())


def _put_limit(row: common_pb2.Limit, limit: Limit) -> None:
    match limit:
        case Range():
            row.range.low, row.range.high = limit.low, limit.high
            if limit.standard is not None:
                row.range.standard = limit.standard
            row.range.SetInParent()
        case Cards():
            row.cards.cards.extend(limit.cards)
            row.cards.low, row.cards.high = limit.low, limit.high
            row.cards.SetInParent()
        case OneCard():
            row.cards.cards.extend(limit.cards)
            row.cards.low = row.cards.high = 1
        case Groups():
            for group in limit.first:
                row.groups.first.add(cards=group)
            for group in limit.more:
                row.groups.more.add(cards=group)
            row.groups.low = limit.low
            row.groups.among.extend(limit.among)
            row.groups.SetInParent()
        case Names():
            row.names.words.extend(limit.words)
            row.names.low = limit.low
            row.names.must.extend(limit.must)
            row.names.SetInParent()
        case _:
            row.words.words.extend(limit.words)
            row.words.SetInParent()


def _decision_bytes(now: Decision) -> bytes:
    """A decision but for the time that is left for it."""
    return put_hand(now.hand) + put_number(now.number) + numbers_field(DECISION_SEATS, now.seats)


class StateParts(NamedTuple):
    """A state in bytes: all but the decision, and the decision (if any) but for its time."""

    rest: bytes
    decision: bytes | None

    def whole(self, remaining_ms: int) -> bytes:
        """The state, with the time that is left for its decision."""
        if self.decision is None:
            return self.rest
        return self.rest + put_decision(self.decision + put_remaining_ms(remaining_ms))


class Messages:
    """Builds messages with the installation's codec and clocks."""

    def __init__(self, codec: Codec, clocks: Clocks) -> None:
        self._codec = codec
        self._clocks = clocks

    def event_parts(self, recorded: Recorded, masks: Sequence[int]) -> list[bytes]:
        """The events of a commit in bytes, for a viewer mask each.

        An event that hides nothing from anybody lies in the commit as it is sent.
        """
        commit, codec = recorded.commit, self._codec
        parts: list[bytes] = []
        forms = unpack_body(commit.body, commit.count)
        for number, (form, event, mask) in enumerate(
            zip(forms, recorded.events, masks, strict=True), commit.expected + 1
        ):
            wire = None
            if not form.slots:
                wire = codec.event_as_stored(form.type, form.revision, form.public)
            if wire is None:
                wire = codec.event_bytes(event, mask)
            parts.append(put_event_version(number) + put_event(wire))
        return parts

    def events_of(
        self, recorded: Recorded, caller: Principal
    ) -> list[table_service_pb2.TableEvent]:
        """The events of a commit, each as ``caller`` might see it at its version."""
        seen = viewers(recorded.seated, recorded.events, str(caller.id))
        masks = [eyes.limit(caller, mask) for mask in seen]
        return [
            table_service_pb2.TableEvent.FromString(each)
            for each in self.event_parts(recorded, masks)
        ]

    def events_as(self, recorded: Recorded, viewer: int) -> list[table_service_pb2.TableEvent]:
        """The events of a commit, all for one viewer mask."""
        masks = [viewer] * len(recorded.events)
        return [
            table_service_pb2.TableEvent.FromString(each)
            for each in self.event_parts(recorded, masks)
        ]

    def state(self, live: Live, table: Table, viewer: int) -> table_service_pb2.TableState:
        """A table as a viewer mask sees it."""
        parts = self.state_parts(live, table, viewer)
        newest = table.version == live.table.version
        left = self._clocks.remaining_ms(live) if newest and parts.decision is not None else 0
        return table_service_pb2.TableState.FromString(parts.whole(left))

    def state_parts(self, live: Live, table: Table, viewer: int) -> StateParts:
        """The same in bytes, but for the time that is left for the decision."""
        game, state = table.game, table.state
        view = game.view(state, viewer)
        seats = [seat for seat in range(game.seats(state)) if viewer & seat_viewer(seat)]
        rest = (
            put_table_id(live.table_id.encode()),
            put_version(table.version),
            put_view(self._codec.view_bytes(view)),
            put_text(text_of_lines(game.lines(view)).encode()),
            *[_offer_part(each) for seat in seats for each in game.legal_actions(state, seat)],
            numbers_field(STATE_SEATS, seats),
        )
        now = live.awaited if table is live.table else decision(table)
        return StateParts(b"".join(rest), now and _decision_bytes(now))

    def plays(self, version: int, found: Listing) -> table_service_pb2.LegalPlays:
        """Legal plays of a seat at a version of its table."""
        message = table_service_pb2.LegalPlays(
            version=version, total=found.total, truncated=found.truncated
        )
        for kind, count in found.counts:
            message.counts.add(kind=kind, count=count)
        for play in found.plays:
            message.plays.add(text=play.text, action=self._codec.action_to_wire(play.action))
        return message

    def table(self, live: Live, at: Table | None = None) -> table_service_pb2.Table:
        """What a lobby shows of a table: as it stands, or as it stood ``at`` some version."""
        table = at or live.table
        game, house = table.game, table.house
        message = table_service_pb2.Table(
            table_id=live.table_id,
            game=game.key,
            lab=house.lab,
            host=house.host,
            seat_count=game.seats(table.state),
            hand=running_hand(table),
            closed=game.is_closed(table.state),
            create_time=timestamp(live.created_at),
        )
        message.epoch.epoch, message.epoch.commitment = house.epoch, house.commitment
        message.epoch.takes_entropy = takes_entropy(house)
        message.epoch.contributed.extend(seat for seat, _ in house.entropy)
        for name, value in house.agreed:
            message.options.add(name=name, value=value)
        for name, option in house.options._asdict().items():
            message.house_options.add(name=name, value=text_of(option))
        for seat, (player, chips) in sorted(game.players(table.state).items()):
            message.seats.add(seat=seat, player=player, chips=chips)
        return message
