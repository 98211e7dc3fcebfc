"""Actions of a lab's admin that no table of the game knows."""

from __future__ import annotations

from engine.games.royal_flush.actions import StartGame
from engine.kernel import HOST
from tests.service.harness import failing, run, running
from tests.service.parlour_room import lab_parlour


def test_a_host_action_of_another_game_is_malformed(dsn):
    """Host actions too belong to a game, but for those that all games have."""

    async def scenario():
        async with running(dsn) as service:
            teacher, room = await lab_parlour(service, range(1, 20))
            wrong = await failing(teacher.lab_act(room.table, HOST, StartGame()))
            assert (wrong.code.name, wrong.field) == ("INVALID_ARGUMENT", "action")

    run(scenario())
