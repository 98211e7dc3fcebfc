"""How a tournament that is cancelled is settled; docs/decisions/0017-tournaments.md has the rule.

Before the start everybody gets back all he paid.  Later those still in get back the fee of their
entry and share the pool, in which nothing of the guarantee is unless the prizes were set:

- while more are in than there are prizes, half of it equally, half by chips (or what the format
  counts), as they stood before the hands that run;
- else each gets the least prize of those that are left, and the rest goes by chips.
"""

from __future__ import annotations

from engine.errors import Refused
from engine.tournament import events as e
from engine.tournament.formats import format_of
from engine.tournament.money import split
from engine.tournament.persistent import members
from engine.tournament.registration import refund_waiting
from engine.tournament.state import EntryStatus, Phase, Tournament
from engine.tournament.steps import Steps

__all__ = ["settle"]


def settle(steps: Steps, reason: str) -> None:
    """Cancel a tournament and award what is there.  Raises ``Refused(ALREADY_OVER)``."""
    state = steps.state
    if state.phase not in {Phase.REGISTERING, Phase.RUNNING}:
        raise Refused("ALREADY_OVER")
    running = state.phase is Phase.RUNNING
    steps.emit(e.TournamentCancelled(reason))
    for table in members(state.standing & ~state.breaking):
        steps.emit(e.TableBroken(table))
    refund_waiting(steps)
    fee = state.structure.fee
    for entry, share in _shares(state) if running else _buy_ins(state):
        if share + fee:
            steps.emit(e.MoneyAwarded(entry, share + fee, e.Why.SETTLEMENT, fee))


def _buy_ins(state: Tournament) -> list[tuple[int, int]]:
    return [
        (number, state.structure.buy_in)
        for number, entry in enumerate(state.entries)
        if entry.status is EntryStatus.ENTERED
    ]


def _shares(state: Tournament) -> list[tuple[int, int]]:
    inside = sorted(format_of(state.structure).settlement(state))
    weights = [weight for _, weight in inside]
    if not any(weights):
        weights = [1] * len(inside)
    pool = state.money.pool
    if len(inside) > len(state.prizes):
        equal = split(pool // 2, [1] * len(inside))
    else:
        equal = [state.prizes[len(inside) - 1]] * len(inside)
    rest = split(pool - sum(equal), weights)
    return [(number, a + b) for (number, _), a, b in zip(inside, equal, rest, strict=True)]
