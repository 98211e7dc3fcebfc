"""The decider of a tournament: an action is answered with facts, or refused and nothing changes.

Who may ask what is the caller's to know: players' actions come with the player's id, those of the
host and reports of the process manager without.
"""

from __future__ import annotations

from engine.actions import Action
from engine.errors import Refused
from engine.events import Event
from engine.tournament import actions as a
from engine.tournament import control, registration, reports
from engine.tournament import events as e
from engine.tournament.evolve import evolve, fold
from engine.tournament.formats import format_of
from engine.tournament.state import Phase, Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import check_structure, check_tables

__all__ = ["decide", "evolve", "fold"]


def decide(
    state: Tournament, actor: str | None, action: Action, draw: Draw
) -> tuple[tuple[Event, ...], Tournament]:
    """The facts an action makes, and the tournament after them: what ``evolve`` makes of them.

    ``actor``: the player's id for an action of a player.  Raises ``Refused``; then nothing has
    changed.
    """
    steps = Steps(evolve, state)
    if isinstance(action, a.CreateTournament):
        _create(steps, action)
    elif state.phase is Phase.NONE:
        raise Refused("NO_TOURNAMENT")
    elif isinstance(action, a.PlayerAsks):
        _player(steps, actor or "", action, draw)
    elif isinstance(action, a.HostAsks):
        control.host(steps, action, draw)
    elif isinstance(action, a.Report):
        reports.report(steps, action, draw)
    else:
        raise Refused("UNKNOWN_ACTION", action=type(action).__name__)
    return steps.result()


def _create(steps: Steps, action: a.CreateTournament) -> None:
    if steps.state.phase is not Phase.NONE:
        raise Refused("ALREADY_CREATED")
    structure = action.structure
    kind = format_of(structure)
    check_structure(structure)
    check_tables(structure, kind.GAMES)
    kind.check(structure)
    steps.emit(e.TournamentCreated(structure))


def _player(steps: Steps, player: str, action: a.PlayerAsks, draw: Draw) -> None:
    if not player:
        raise Refused("BAD_PARAMETER", field="actor", expected="the id of a player")
    match action:
        case a.Register():
            registration.register(steps, player, draw)
        case a.Unregister():
            registration.unregister(steps, player)
        case a.ReEnter():
            registration.re_enter(steps, player, draw)
        case _:
            number = steps.state.entry_of(player)
            if number is None:
                raise Refused("NOT_REGISTERED")
            format_of(steps.state.structure).asked(steps, number, action)
