"""Whether a Palace Poker position can arise: what 5–8 and 6.12 always guarantee (12.0)."""

from __future__ import annotations

from engine.cards import suit_of
from engine.games.palace_poker.deal import PALACE
from engine.games.palace_poker.state import Battle, Hand, Phase, State, opponent, seats_of
from engine.games.palace_poker.turns import MAX_SOLDIERS
from engine.kernel import PositionError
from engine.options import MAX_AMOUNT

__all__ = ["check_hand", "check_table"]


def _refuse_if(broken: object, why: str) -> None:
    if broken:
        raise PositionError(why)


def check_table(state: State) -> None:
    """Seats and chips, with or without a hand; raises ``PositionError``."""
    names = [who.player for who in state.seats if who is not None]
    _refuse_if(len(set(names)) != len(names), "players: one name at two seats (6.16.2)")
    chips = sum(state.stacks) + (state.hand.pot if state.hand else 0)
    _refuse_if(chips > MAX_AMOUNT, f"stacks: the chips of a table are at most {MAX_AMOUNT}")
    _refuse_if(
        state.phase is Phase.CLOSED and names, "stacks: nobody sits at a closed table (6.16.4)"
    )
    dealt = state.hand.dealt if state.hand else 0
    for seat, who in enumerate(state.seats):
        _refuse_if(
            who is not None and who.leaving and not dealt >> seat & 1,
            f"leaving: seat {seat} is not dealt in, it would be free at once (6.12)",
        )


def check_hand(state: State, hand: Hand) -> None:
    """A running hand; raises ``PositionError``."""
    _refuse_if(not state.hand_no, "hand: a running hand has a number (6.14)")
    _check_players(state, hand)
    _check_cards(state, hand)
    _check_turn(state, hand)
    if state.phase is Phase.BATTLE:
        _refuse_if(hand.battle is None, "battle: expected in phase BATTLE")
    else:
        _refuse_if(hand.battle is not None, f"battle: there is none in {state.phase}")
    if hand.battle is not None:
        _check_battle(hand, hand.battle)


def _check_players(state: State, hand: Hand) -> None:
    """Who is dealt in, who is out, who is capped."""
    for seat in seats_of(hand.dealt):
        _refuse_if(state.seats[seat] is None, f"paid: nobody sits at seat {seat} (stacks)")
    out = [seat for seat, index in enumerate(hand.exits) if index]
    for seat in out:
        _refuse_if(not hand.dealt >> seat & 1, f"exits: seat {seat} is not dealt in (paid)")
    indexes = sorted(hand.exits[seat] for seat in out)
    shared = max((indexes.count(index) for index in indexes), default=0)
    _refuse_if(
        sorted(set(indexes)) != list(range(1, len(set(indexes)) + 1)) or shared > 2,
        "exits: they count from 1, two share one after a total tie (5.10.1)",
    )
    _refuse_if(
        (hand.dealt & ~hand.alive).bit_count() != len(out), "exits: an exit index is 1 or more"
    )
    _refuse_if(hand.alive.bit_count() < 2, "exits: two players or more are in a running hand")
    dealer = state.dealer
    _refuse_if(dealer is None or not hand.dealt >> dealer & 1, "dealer: not dealt in (5.2)")
    for seat in seats_of(hand.capped):
        _refuse_if(state.stacks[seat], f"paid: seat {seat} is capped and has chips (8.3)")


def _check_cards(state: State, hand: Hand) -> None:
    """Banner, palace, soldiers of those in the hand, and of nobody else (4.1)."""
    for seat in range(len(state.seats)):
        alive = bool(hand.alive >> seat & 1)
        if not alive:
            for key, held in (
                ("banner", hand.banners[seat]),
                ("palace", hand.palaces[seat]),
                ("soldiers", hand.soldiers[seat]),
            ):
                _refuse_if(held, f"{key} {seat}: seat {seat} is not in the hand")
            continue
        _refuse_if(not hand.banners[seat], f"banner {seat}: seat {seat} has one")
        _refuse_if(len(hand.palaces[seat]) != PALACE, f"palace {seat}: expected three cards")
        musters = state.phase is Phase.MUSTER and seat == hand.actor
        _refuse_if(
            len(hand.soldiers[seat]) > MAX_SOLDIERS and not musters,
            f"soldiers {seat}: more than five outside a muster (5.9.3)",
        )
    suits = {suit_of(hand.banners[seat]) for seat in seats_of(hand.alive)}
    _refuse_if(len(suits) == 1, "banner: players of one suit share at once (5.10.3)")


def _check_turn(state: State, hand: Hand) -> None:
    """Whose turn it is, who is to act, the quiet marks, a forced turn."""
    turn, actor, phase = hand.turn, hand.actor, state.phase
    _refuse_if(not hand.dealt >> turn & 1, "turn: not dealt in")
    _refuse_if(not hand.alive >> actor & 1, "actor: not in the hand")
    _refuse_if(phase is Phase.TURN and actor != turn, "actor: in TURN it is T")
    _refuse_if(
        phase is Phase.MUSTER and actor != turn and hand.alive >> turn & 1,
        "actor: the winner musters instead of T only if T is out (5.9.3)",
    )
    _refuse_if(
        phase is Phase.MUSTER and not hand.soldiers[actor],
        f"soldiers {actor}: a muster follows a purchase or capture (5.9.3)",
    )
    who = state.seats[actor]
    _refuse_if(who is not None and who.leaving, "leaving: the engine acts for the actor (6.12)")
    _refuse_if(hand.quiet & ~hand.alive, "quiet: a mark of a seat that is not in the hand (5.11)")
    _refuse_if(phase is not Phase.TURN and hand.quiet, f"quiet: no mark stands in {phase} (5.11)")
    _refuse_if(hand.quiet == hand.alive and not hand.forced, "quiet: the round is complete (5.11)")
    if hand.forced:
        _refuse_if(hand.alive.bit_count() != 2, "turn: forced with two in the hand only (5.12)")
        _refuse_if(phase is Phase.MUSTER, "turn: no muster follows a forced turn (5.12.4)")


def _check_battle(hand: Hand, battle: Battle) -> None:
    """5.8, 6.7, 6.9."""
    defender = battle.defender
    _refuse_if(
        defender >= len(hand.paid) or not hand.alive >> defender & 1 or defender == hand.turn,
        "battle: the defender is another player in the hand (6.7.2)",
    )
    _refuse_if(not hand.alive >> hand.turn & 1, "turn: the attacker is in the hand")
    _refuse_if(
        suit_of(hand.banners[defender]) == suit_of(hand.banners[hand.turn]),
        "battle: the banners have different suits (6.7.2)",
    )
    acts = hand.turn if battle.raises % 2 else defender
    _refuse_if(hand.actor != acts, f"actor: after {battle.raises} raises it is seat {acts} (5.8.4)")
    _refuse_if(battle.unmatched > battle.to_call, "battle: unmatched is part of to_call (5.8.7)")
    _refuse_if(
        battle.raises and battle.unmatched != battle.to_call,
        "battle: after a raise all of to_call is unmatched (6.9.4)",
    )
    _refuse_if(
        battle.unmatched > hand.paid[opponent(hand, battle)],
        "battle: unmatched was paid by the opponent (5.8.7)",
    )
