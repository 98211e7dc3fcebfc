"""The time of day jumps: what is recorded never runs backwards, and nobody's turn is over."""

from __future__ import annotations

from random import Random

from engine.events import TurnTimedOut
from service.pb.games_pb2 import Event
from service.world import RealWorld
from tests.faults.checker import check
from tests.faults.conftest import Plan
from tests.faults.party import party
from tests.faults.server import tokens
from tests.service.harness import CODEC, run, running

HOUR = 3_600 * 1_000_000
JUMPS = 20


class Jumping(RealWorld):
    """The system's clock, some hours away from where it should be."""

    def __init__(self) -> None:
        self.off = 2 * HOUR  # tokens are made by the right clock, and are not to lie in the future

    def now(self) -> int:
        return super().now() + self.off


def test_a_clock_that_jumps_moves_nobodys_turn(dsn: str, plan: Plan):
    """An hour forth and back while four games are played: ``check`` looks at the times."""

    async def scenario():
        world = Jumping()
        dice = Random(1)
        async with (
            running(dsn, world=world, tokens=tokens(world)) as service,
            party([service.address]) as people,
        ):
            for _ in range(JUMPS):
                await people.acknowledged(10)
                world.off = 2 * HOUR + dice.choice((-HOUR, 0, HOUR))
            await check(people, dsn)
            seen = [
                CODEC.event_from_wire(Event.FromString(event))
                for watch in people.lookers
                for _, event in watch.seen
            ]
            assert len(seen) > 10 * JUMPS
            assert not [event for event in seen if isinstance(event, TurnTimedOut)]
            plan.told("a clock that jumps by an hour", f"{JUMPS} jumps, no turn timed out")

    run(scenario())
