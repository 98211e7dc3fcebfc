"""A parlour table with people at it: the hidden-card game played through the service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from engine.actions import TakeSeat
from engine.kernel import HOST
from service.identity import LAB_ISSUER
from service.pb import lab_service_pb2 as lab_pb
from service.pb import table_service_pb2 as pb
from tests.parlour.actions import Keep, StartHand
from tests.parlour.view import ParlourView
from tests.service.harness import CODEC, Client, Running

CHIPS = 100


def view_of(state: pb.TableState) -> ParlourView:
    """A state's view as the engine's dataclass."""
    view = CODEC.view_from_wire(state.view)
    assert isinstance(view, ParlourView)
    return view


def position(state: pb.TableState) -> dict[str, str]:
    """A state's text by key."""
    found: dict[str, str] = {}
    for line in state.text.splitlines():
        words = line.split()
        size = 2 if words[0] == "cards" else 1
        found[" ".join(words[:size])] = " ".join(words[size:])
    return found


class Room:
    """A table of parlour and its players by seat; the first one is its host."""

    def __init__(self, service: Running, table: str, players: list[Client]) -> None:
        self.service = service
        self.table = table
        self.players = players
        self.host = players[0]

    @classmethod
    async def open(
        cls,
        service: Running,
        subjects: Sequence[str] = ("ann", "bob"),
        house: dict[str, str] | None = None,
        **options: object,
    ) -> Room:
        players = [service.client(subject) for subject in subjects]
        given = {name: str(value) for name, value in options.items()}
        given.setdefault("seats", str(max(2, len(players))))
        made = await players[0].create("parlour", options=given, house_options=house or {})
        room = cls(service, made.table.table_id, players)
        for seat, player in enumerate(players):
            await player.act(room.table, seat, TakeSeat("", CHIPS))
        return room

    async def start(self) -> pb.TableState:
        return (await self.host.start(self.table)).state

    async def turn(self, action: Any = None, **fields: Any) -> Any:
        """Whoever is to act keeps, or does something else."""
        state = (await self.host.get(self.table)).state
        (seat,) = state.decision.seats
        return await self.players[seat].act(
            self.table, seat, Keep() if action is None else action, state, **fields
        )

    async def play_out(self) -> pb.TableState:
        """Keep until the hand is over; the host's last view."""
        while (state := (await self.host.get(self.table)).state).decision.hand:
            await self.turn()
        return state

    async def state(self, seat: int) -> pb.TableState:
        return (await self.players[seat].get(self.table)).state


async def lab_parlour(
    service: Running, deck: Sequence[int], subjects: Sequence[str] = ("ann", "bob")
) -> tuple[Client, Room]:
    """A lab table at which callers of the lab's issuer sit, with a stacked deck."""
    teacher = service.lab()
    made = await teacher.call(
        teacher.lab.OpenLabTable,
        lab_pb.OpenLabTableRequest(
            request_id=uuid4().hex,
            game="parlour",
            options={"seats": str(len(subjects)), "draw_pile": "2"},
        ),
    )
    players = [service.client(subject, issuer=LAB_ISSUER) for subject in subjects]
    room = Room(service, made.table_id, players)
    for seat, player in enumerate(players):
        await player.act(room.table, seat, TakeSeat("", CHIPS))
    await teacher.call(
        teacher.lab.StackDeck,
        lab_pb.StackDeckRequest(request_id=uuid4().hex, table_id=made.table_id, cards=deck),
    )
    return teacher, room


async def lab_start(teacher: Client, room: Room) -> None:
    await teacher.lab_act(room.table, HOST, StartHand())
