"""What the actions of a hand make of it (palace_poker 5.7–5.12, 6.3–6.11).

Everything here is allowed already: ``rules`` tests, these functions state the facts.  ``auto`` is
true when the engine acts for the seat.
"""

from __future__ import annotations

from engine.cards import suit_of
from engine.events import SeatLeft
from engine.games.palace_poker import events as e
from engine.games.palace_poker.deal import shuffle
from engine.games.palace_poker.judging import judge, showdown_strength
from engine.games.palace_poker.pot import awards
from engine.games.palace_poker.state import (
    Battle,
    Cards,
    Hand,
    Phase,
    State,
    next_seat,
    opponent,
    price,
    running,
    seats_of,
)
from engine.kernel import Shuffler, Steps
from engine.ranking import hand_value
from engine.visibility import EVERYONE, Private, seats_only

__all__ = [
    "MAX_SOLDIERS",
    "act_for_leavers",
    "act_late",
    "bet",
    "buy",
    "call",
    "discard",
    "fold_battle",
    "fold_turn",
    "muster",
    "raise_",
    "stay",
]

MAX_SOLDIERS = 5


# --- turns ------------------------------------------------------------------------------------


def stay(steps: Steps[State], auto: bool = False) -> None:
    """6.3."""
    steps.emit(e.Stayed(running(steps.state).actor, auto))
    _end_turn(steps)


def discard(steps: Steps[State], cards: Cards) -> None:
    """6.4."""
    steps.emit(e.SoldiersDiscarded(running(steps.state).actor, cards))
    _end_turn(steps)


def buy(steps: Steps[State], shuffler: Shuffler) -> None:
    """6.5; the pile is refilled at the last moment (5.6.3)."""
    if not running(steps.state).draw:
        shuffle(steps, shuffler, "DRAW_RESHUFFLE", running(steps.state).discard)
    hand = running(steps.state)
    steps.emit(e.SoldierBought(hand.actor, hand.draw[0], steps.state.options.small_bet))


def muster(steps: Steps[State], cards: Cards, auto: bool = False) -> None:
    """6.6; the turn of T ends, whoever mustered (5.7.4)."""
    seat = running(steps.state).actor
    if cards:
        steps.emit(e.SoldiersDiscarded(seat, cards))
    steps.emit(e.MusterCompleted(seat, running(steps.state).soldiers[seat], auto))
    _end_turn(steps)


def fold_turn(steps: Steps[State], auto: bool = False) -> None:
    """6.11."""
    hand = running(steps.state)
    seat = hand.actor
    steps.emit(e.Folded(seat, auto))
    steps.emit(e.PlayerEliminated(seat, e.Cause.FOLD, max(hand.exits) + 1))
    if not _end_if_decided(steps):
        _end_turn(steps)


def _end_turn(steps: Steps[State]) -> None:
    """5.7.4: counter, quiet round and cap, the final two, the next turn."""
    options = steps.state.options
    hand = running(steps.state)
    left = hand.alive.bit_count()
    complete = hand.quiet == hand.alive or (
        options.max_turns is not None and hand.turns + 1 >= options.max_turns
    )
    if complete and (left > 2 or options.final_two == "showdown"):
        _end_hand(steps, e.End.SHOWDOWN)
        return
    at_once = options.final_two == "immediate" and len(hand.order) > 2
    forced = left == 2 and (complete or at_once)
    steps.emit(e.TurnStarted(next_seat(hand.alive, hand.turn), forced))


# --- battles ----------------------------------------------------------------------------------


def bet(steps: Steps[State], target: int, amount: int) -> None:
    """6.7; ``amount`` is what the attacker pays."""
    state = steps.state
    hand = running(state)
    own = price(state, hand, hand.actor)
    base = min(own, state.stacks[hand.actor])
    due = price(state, hand, target)
    excess = amount - base
    short = base < own
    to_call = min(due, base) if short else due + excess
    steps.emit(e.BattleDeclared(hand.actor, target, amount, excess, short, to_call))


def raise_(steps: Steps[State], battle: Battle, amount: int) -> None:
    """6.9."""
    steps.emit(e.BattleRaised(running(steps.state).actor, battle.to_call, amount))


def call(steps: Steps[State], battle: Battle, auto: bool = False) -> None:
    """6.8."""
    state = steps.state
    hand = running(state)
    caller = hand.actor
    paid = min(battle.to_call, state.stacks[caller])
    steps.emit(e.BattleCalled(caller, paid, paid < battle.to_call, auto))
    attacker, defender = hand.turn, battle.defender
    winner = _resolve(steps, hand, attacker, defender)
    exit_ = max(hand.exits) + 1
    if winner is not None:
        loser = defender if winner == attacker else attacker
        _defeat(steps, winner, loser, e.Cause.BATTLE_LOST)
        return
    steps.emit(e.PlayerEliminated(attacker, e.Cause.BATTLE_TIE, exit_))
    steps.emit(e.PlayerEliminated(defender, e.Cause.BATTLE_TIE, exit_))
    if not _end_if_decided(steps):
        _end_turn(steps)


def _resolve(steps: Steps[State], hand: Hand, attacker: int, defender: int) -> int | None:
    """Compare, show what is due (4.4), tell the result; the winner, if there is one."""
    examiner = hand.actor
    other = attacker if examiner == defender else defender
    verdict = judge(hand, attacker, defender, steps.state.options.ace_low)
    both = EVERYONE if steps.state.options.reveal_all else seats_only(attacker, defender)
    _reveal(steps, hand, other, examiner, both)
    # An examiner who loses keeps his own palace, and what it was worth, to himself.
    if verdict.winner == other:
        own = seats_only(examiner)
    else:
        own = both
        _reveal(steps, hand, examiner, other, both)
    sees_a, sees_d = (own, both) if examiner == attacker else (both, own)
    steps.emit(
        e.BattleResolved(
            attacker,
            defender,
            verdict.winner,
            verdict.decided_by,
            examiner,
            Private(verdict.attacker_value, sees_a),
            Private(verdict.defender_value, sees_d),
            Private(verdict.attacker_count, sees_a),
            Private(verdict.defender_count, sees_d),
        )
    )
    return verdict.winner


def _reveal(steps: Steps[State], hand: Hand, owner: int, to: int, audience: int) -> None:
    told = ("all",) if audience == EVERYONE else (str(to),)
    steps.emit(e.PalaceRevealed(owner, told, Private(hand.palaces[owner], audience)))


def fold_battle(steps: Steps[State], battle: Battle, auto: bool = False) -> None:
    """6.10."""
    hand = running(steps.state)
    loser = hand.actor
    winner = opponent(hand, battle)
    steps.emit(e.BattleFolded(loser, winner, auto))
    if battle.unmatched:
        steps.emit(e.UncalledReturned(winner, battle.unmatched))
    _defeat(steps, winner, loser, e.Cause.BATTLE_FOLD)


def _defeat(steps: Steps[State], winner: int, loser: int, cause: e.Cause) -> None:
    """5.9.1; the winner musters unless the hand ends (5.9.4)."""
    hand = running(steps.state)
    steps.emit(e.PlayerEliminated(loser, cause, max(hand.exits) + 1))
    cards = (*hand.soldiers[loser], hand.banners[loser])
    steps.emit(e.CardsCaptured(winner, loser, cards))
    _end_if_decided(steps)


# --- the end ----------------------------------------------------------------------------------


def _end_if_decided(steps: Steps[State]) -> bool:
    """The tests of 5.10.3; whether the hand is over."""
    hand = running(steps.state)
    alive = hand.alive
    if not alive:
        end = e.End.SPLIT_FINAL_TIE
    elif not alive & alive - 1:
        end = e.End.LAST_STANDING
    elif len({suit_of(hand.banners[seat]) for seat in seats_of(alive)}) == 1:
        end = e.End.SAME_SUIT_SHARE
    else:
        return False
    _end_hand(steps, end)
    return True


def _end_hand(steps: Steps[State], end: e.End) -> None:
    """7.6, 8, 9.1."""
    hand = running(steps.state)
    strengths: dict[int, int] = {}
    if end is e.End.SHOWDOWN:
        for seat in hand.order:
            if hand.alive >> seat & 1:
                strength = showdown_strength(hand, seat, steps.state.options.ace_low)
                strengths[seat] = strength
                steps.emit(e.HandShown(seat, hand.palaces[seat], hand_value(strength)))
    for award in awards(hand, end, strengths):
        steps.emit(e.PotAwarded(award.cap, award.amount, award.shares))
    stacks = tuple((seat, steps.state.stacks[seat]) for seat in seats_of(hand.dealt))
    steps.emit(e.HandEnded(end, stacks))
    for seat, who in enumerate(steps.state.seats):
        if who is not None and who.leaving:
            steps.emit(SeatLeft(seat, steps.state.stacks[seat]))


# --- the engine acts --------------------------------------------------------------------------


def act_for_leavers(steps: Steps[State]) -> None:
    """Act for seats that are leaving for as long as one of them is to act (6.12)."""
    while True:
        state = steps.state
        hand = state.hand
        if hand is None:
            return
        who = state.seats[hand.actor]
        if who is None or not who.leaving:
            return
        if state.phase is Phase.MUSTER:
            muster(steps, _surplus(hand), auto=True)
        elif hand.battle is not None:
            fold_battle(steps, hand.battle, auto=True)
        else:
            fold_turn(steps, auto=True)


def act_late(steps: Steps[State]) -> None:
    """Act for the seat whose time is over (6.13)."""
    state = steps.state
    hand = running(state)
    battle = hand.battle
    if state.phase is Phase.MUSTER:
        muster(steps, _surplus(hand), auto=True)
    elif battle is not None:
        if min(battle.to_call, state.stacks[hand.actor]) == 0:
            call(steps, battle, auto=True)
        else:
            fold_battle(steps, battle, auto=True)
    elif hand.forced:
        fold_turn(steps, auto=True)
    else:
        stay(steps, auto=True)


def _surplus(hand: Hand) -> Cards:
    """The soldiers after the first five."""
    return hand.soldiers[hand.actor][MAX_SOLDIERS:]
