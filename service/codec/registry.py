"""Actions, events and views of all games as protobuf, on the wire and on disk.

Which messages there are: ``service.codec.families``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from google.protobuf.message import DecodeError, Message

from engine.access import ACCESS_EVENTS
from engine.account import ACCOUNT_EVENTS
from engine.actions import COMMON_ACTIONS, HOUSE_ACTIONS, Action
from engine.errors import Corrupt, Malformed
from engine.events import COMMON_EVENTS, HOUSE_EVENTS, EpochClosed, EpochOpened, Event
from engine.kernel import AnyGame, View
from engine.tournament.all_events import ALL_TOURNAMENT_EVENTS
from engine.visibility import EVERYONE, Private, hide, redact
from service.codec.families import Extension, Member, built_in, members
from service.codec.fields import Pair, compile_pair, pack_private, unpack_private
from service.codec.wire import part_of
from service.pb import (
    access_events_pb2,
    account_events_pb2,
    games_pb2,
    table_actions_pb2,
    table_events_pb2,
)
from service.pb.tournament_events_pb2 import TournamentEvent

__all__ = ["Codec", "PrivateValue", "StoredForm"]

CLEAR = {(EpochOpened, "wrapped"), (EpochClosed, "secret")}
"""Private fields kept readable on disk: one is wrapped already, the other opens the slots."""

REVISION = 1
"""Revision of the stored form of every event.  A new form of an event is a higher number and an
upcaster beside it, tested with stored old bytes."""

TOURNAMENTS: Final = 1000
"""What the numbers of tournaments' events are added to, as those of a game to its own."""

KEPT = 8_192
"""Events with nothing private that are kept, the last ones that were read: most of what is read of
a table is among them (``PileTurnedUp(1, 2, 11)``), and an event is a value."""


_ACTION_FAMILIES: Final = games_pb2.Action.DESCRIPTOR.fields_by_name
_EVENT_FAMILIES: Final = games_pb2.Event.DESCRIPTOR.fields_by_name
_VIEW_GAMES: Final = games_pb2.View.DESCRIPTOR.fields_by_name


class PrivateValue(NamedTuple):
    """A private field on its way to or from the disk.

    ``data`` is what is to be sealed; None: the value lies readable in the public bytes and is
    only withheld from viewers outside ``audience``.
    """

    field: int
    audience: int
    data: bytes | None


class StoredForm(NamedTuple):
    """An event as it is stored, before sealing."""

    type: int
    revision: int
    public: bytes
    private: tuple[PrivateValue, ...]


class Codec:
    """The codec of an installation: its games, all pairs compiled."""

    def __init__(
        self, games: Mapping[str, AnyGame], extensions: Mapping[str, Extension] | None = None
    ) -> None:
        extensions = extensions or {}
        self._messages: dict[str, dict[str, type[Message]]] = {
            "action": {},
            "event": {},
            "view": {},
        }
        self._action: dict[type[Any], Member] = {
            **members("common", table_actions_pb2.CommonAction, COMMON_ACTIONS, 0),
            **members("house", table_actions_pb2.HouseAction, HOUSE_ACTIONS, 0),
        }
        self._event: dict[type[Any], Member] = {
            **members("common", table_events_pb2.CommonEvent, COMMON_EVENTS, 0),
            **members("house", table_events_pb2.HouseEvent, HOUSE_EVENTS, 0),
            **members("account", account_events_pb2.AccountEvent, ACCOUNT_EVENTS, 0),
            **members("access", access_events_pb2.AccessEvent, ACCESS_EVENTS, 0),
            **members("tournament", TournamentEvent, ALL_TOURNAMENT_EVENTS, TOURNAMENTS),
        }
        self._view: dict[type[Any], tuple[str, Pair]] = {}
        self._messages["action"]["common"] = table_actions_pb2.CommonAction
        self._messages["action"]["house"] = table_actions_pb2.HouseAction
        self._messages["event"]["common"] = table_events_pb2.CommonEvent
        self._messages["event"]["house"] = table_events_pb2.HouseEvent
        for key, game in games.items():
            found = extensions.get(key) or built_in(key)
            self._messages["action"][key] = found.action
            self._messages["event"][key] = found.event
            self._messages["view"][key] = found.view
            self._action |= members(key, found.action, game.ACTIONS, 0)
            self._event |= members(key, found.event, game.EVENTS, game.NUMBER)
            self._view[game.VIEW] = (key, compile_pair(game.VIEW, found.view))
        self._extended = frozenset(extensions)
        self._by_number = {member.number: member for member in self._event.values()}
        if len(self._by_number) != len(self._event):
            raise TypeError("two events have the same stored type")
        self._by_url = {
            message.DESCRIPTOR.full_name: key
            for kind in self._messages.values()
            for key, message in kind.items()
            if key in self._extended
        }
        self.load_public = lru_cache(KEPT)(self._load_public)
        self.event_as_stored = lru_cache(KEPT)(self._event_as_stored)
        self._action_by_name = {(m.family, m.field): m for m in self._action.values()}
        self._event_by_name = {(m.family, m.field): m for m in self._event.values()}

    # --- wire ---------------------------------------------------------------------------------

    def extended(self) -> list[type[Message]]:
        """The messages of games that are not in games.proto: what an ``extension`` holds."""
        return [
            kind
            for kinds in self._messages.values()
            for key, kind in kinds.items()
            if key in self._extended
        ]

    def action_to_wire(self, action: Action) -> games_pb2.Action:
        """An action as protobuf."""
        wire = games_pb2.Action()
        self._write(wire, self._action[type(action)], action)
        return wire

    def action_bytes(self, action: Action) -> bytes:
        """The same as it is stored and digested: serialised."""
        member = self._action[type(action)]
        if member.family in self._extended:
            return self.action_to_wire(action).SerializeToString(deterministic=True)
        family = part_of(member.place)(member.pair.serial(action))
        return part_of(_ACTION_FAMILIES[member.family].number)(family)

    def action_from_wire(self, wire: games_pb2.Action) -> Action:
        """The action of a message; raises ``Malformed`` naming what is missing or unknown."""
        action: Action = self._read("action", wire, self._action_by_name)
        return action

    def event_to_wire(self, event: Event, viewer: int) -> games_pb2.Event:
        """An event as ``viewer`` may see it.

        The wrapped secret of an epoch is for the disk: it leaves for nobody, auditors included.
        """
        wire = games_pb2.Event()
        eyes = 0 if isinstance(event, EpochOpened) else viewer
        self._write(wire, self._event[type(event)], redact(event, eyes))
        return wire

    def event_bytes(self, event: Event, viewer: int) -> bytes:
        """The same, serialised."""
        member = self._event[type(event)]
        eyes = 0 if isinstance(event, EpochOpened) else viewer
        return self._event_of_family(member, member.pair.serial(redact(event, eyes)))

    def _event_as_stored(self, stored_type: int, revision: int, public: bytes) -> bytes | None:
        """The wire bytes of an event that is stored without a slot, for whoever sees it.

        None where what is sent may differ from what is stored, for ``event_to_wire`` to make.
        Raises ``Corrupt`` for a type that was never written.
        """
        member = self._member(stored_type)
        if revision != REVISION or member.pair.kind is EpochOpened:
            return None
        return self._event_of_family(member, public)

    def _event_of_family(self, member: Member, data: bytes) -> bytes:
        """The bytes of an event's message within those of its family and of all events."""
        family = part_of(member.place)(data)
        if member.family not in self._extended:
            return part_of(_EVENT_FAMILIES[member.family].number)(family)
        wire = games_pb2.Event()
        wire.extension.Pack(self._messages["event"][member.family].FromString(family))
        return wire.SerializeToString()

    def account_event_to_wire(self, event: Event) -> account_events_pb2.AccountEvent:
        """An event of an account: accounts have streams of their own."""
        member = self._event[type(event)]
        wire = account_events_pb2.AccountEvent()
        inner = getattr(wire, member.field)
        inner.SetInParent()
        member.pair.write(inner, event)
        return wire

    def event_from_wire(self, wire: games_pb2.Event) -> Event:
        """The event of a message; private values count as hidden where they are zero."""
        event: Event = self._read("event", wire, self._event_by_name)
        return event

    def view_to_wire(self, view: View) -> games_pb2.View:
        """A view as protobuf."""
        key, pair = self._view[type(view)]
        wire = games_pb2.View()
        if key in self._extended:
            wire.extension.Pack(pair.encode(view))
        else:
            pair.write(getattr(wire, key), view)
        return wire

    def view_bytes(self, view: View) -> bytes:
        """The same, serialised."""
        key, pair = self._view[type(view)]
        if key in self._extended:
            return self.view_to_wire(view).SerializeToString()
        return part_of(_VIEW_GAMES[key].number)(pair.serial(view))

    def view_from_wire(self, wire: games_pb2.View) -> View:
        """The view of a message."""
        inner, key = self._unwrap("view", wire)
        for kind_key, pair in self._view.values():
            if kind_key == key:
                view: View = pair.decode(inner)
                return view
        raise Malformed("view", "of no game known here")

    def _write(self, wire: Any, member: Member, value: object) -> None:
        if member.family not in self._extended:
            inner = getattr(getattr(wire, member.family), member.field)
            inner.SetInParent()
            member.pair.write(inner, value)
            return
        kind = "action" if isinstance(value, Action) else "event"
        family = self._messages[kind][member.family]()
        inner = getattr(family, member.field)
        inner.SetInParent()
        member.pair.write(inner, value)
        wire.extension.Pack(family)

    def _unwrap(self, kind: str, wire: Any) -> tuple[Any, str]:
        """The family's message and its key."""
        key = wire.WhichOneof("view" if kind == "view" else "family")
        if key is None:
            raise Malformed(kind, f"no {kind} is set")
        if key != "extension":
            return getattr(wire, key), key
        found = self._by_url.get(wire.extension.TypeName())
        if found is None:
            raise Malformed(kind, "of a game that is not installed here")
        inner = self._messages[kind][found]()
        try:
            fits = wire.extension.Unpack(inner)
        except DecodeError:
            fits = False
        if not fits:
            raise Malformed(kind, "the extension cannot be read")
        return inner, found

    def _read(self, kind: str, wire: Any, known: Mapping[tuple[str, str], Member]) -> Any:
        inner, key = self._unwrap(kind, wire)
        name = inner.WhichOneof(kind)
        if name is None:
            raise Malformed(f"{kind}.{key}", f"no {kind} is set")
        pair = known[key, name].pair
        message = getattr(inner, name)
        return pair.decode(message, _shown(pair, message))

    # --- disk ---------------------------------------------------------------------------------

    def store_event(self, event: Event) -> StoredForm:
        """What is stored of an event: hidden faces in the public bytes, private values apart."""
        kind = type(event)
        member = self._event[kind]
        private: list[PrivateValue] = []
        sealed: list[str] = []
        visible = event
        for _, field in member.pair.private:
            value: Private[Any] = getattr(event, field.info.name)
            if value.audience == EVERYONE:
                continue
            if (kind, field.info.name) in CLEAR:
                private.append(PrivateValue(field.number, value.audience, None))
            else:
                sealed.append(field.info.name)
                data = pack_private(field.info, value.value)
                private.append(PrivateValue(field.number, value.audience, data))
        if sealed:
            visible = hide(event, sealed)
        public = member.pair.serial(visible)
        return StoredForm(member.number, REVISION, public, tuple(private))

    def load_event(self, form: StoredForm) -> Event:
        """The event of its stored form, its private values opened.

        Raises ``Corrupt`` for a type or revision that was never written, or unreadable bytes.
        """
        if not form.private:
            return self.load_public(form.type, form.revision, form.public)
        pair, values = self._read_public(form.type, form.revision, form.public)
        found = {value.field: value for value in form.private}
        for place, field in pair.private:
            seen = values[place]
            value = found.pop(field.number, None)
            if value is None:
                values[place] = Private(seen, EVERYONE)
            elif value.data is None:
                values[place] = Private(seen, value.audience, shown=bool(value.audience))
            else:
                plain = unpack_private(field.info, value.data)
                # What stands in the public bytes is what everybody has seen of it.
                public = seen if isinstance(seen, tuple) and any(seen) else None
                values[place] = Private(plain, value.audience, public=public)
        if found:
            raise Corrupt(f"event type {form.type}: a slot belongs to no private field")
        event: Event = pair.kind(*values)
        return event

    def load_unopened(self, form: StoredForm) -> Event:
        """The event of its stored form without what is sealed, as for who may see none of it.

        What everybody has seen of a private value stands in the public bytes, and is there.
        """
        values = [PrivateValue(value.field, value.audience, None) for value in form.private]
        event = self.load_event(form._replace(private=tuple(values)))
        hidden: dict[str, Private[Any]] = {}
        for _, field in self._by_number[form.type].pair.private:
            value: Private[Any] = getattr(event, field.info.name)
            if value.audience != EVERYONE and (type(event), field.info.name) not in CLEAR:
                seen = value.value if isinstance(value.value, tuple) and any(value.value) else None
                hidden[field.info.name] = Private(value.value, value.audience, False, seen)
        return replace(event, **hidden) if hidden else event  # type: ignore[type-var]

    def public_message(self, stored_type: int, revision: int, public: bytes) -> Message:
        """The message of an event's public bytes; raises ``Corrupt`` where there is none."""
        return self._parse(stored_type, revision, public)[1]

    def _load_public(self, type_: int, revision: int, public: bytes) -> Event:
        """The event of a stored form in which nothing is private; raises ``Corrupt``."""
        pair, values = self._read_public(type_, revision, public)
        for place, _ in pair.private:
            values[place] = Private(values[place], EVERYONE)
        event: Event = pair.kind(*values)
        return event

    def _read_public(self, type_: int, revision: int, public: bytes) -> tuple[Pair, list[Any]]:
        pair, message = self._parse(type_, revision, public)
        return pair, pair.read(message)

    def _parse(self, type_: int, revision: int, public: bytes) -> tuple[Pair, Message]:
        member = self._by_number.get(type_)
        if member is None or revision != REVISION:
            raise Corrupt(f"event type {type_}, revision {revision}")
        pair = member.pair
        try:
            return pair, pair.message.FromString(public)
        except DecodeError:
            raise Corrupt(f"event type {type_}: unreadable") from None

    def type_of(self, kind: type[Event]) -> int:
        """The stored type number of an event class."""
        return self._event[kind].number

    def event_kind(self, stored_type: int) -> type[Event]:
        """The class of a stored event type; raises ``Corrupt``."""
        kind: type[Event] = self._member(stored_type).pair.kind
        return kind

    def _member(self, stored_type: int) -> Member:
        member = self._by_number.get(stored_type)
        if member is None:
            raise Corrupt(f"event type {stored_type}")
        return member


def _shown(pair: Pair, message: Any) -> dict[int, int]:
    """Audiences of a received message: a private field that holds anything but zeros is shown.

    So is one that may be None and is absent: hidden values are sent as zeros.
    """
    shown: dict[int, int] = {}
    for _, field in pair.private:
        value = field.get(message)
        if value is None or (any(value) if isinstance(value, tuple) else value):
            shown[field.number] = EVERYONE
    return shown
