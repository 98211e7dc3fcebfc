"""What a Parlour table accepts, and what comes of it."""

from __future__ import annotations

from engine import actions as ca
from engine import events as c
from engine.cards import PACK, rank_of, suit_of
from engine.errors import Refused
from engine.kernel import HOST, Cards, Offer, Range, Shuffler, Steps
from engine.options import parse_options
from engine.table import is_amount, require_amount, require_room
from engine.visibility import EVERYONE, SERVER, Private, seats_only
from tests.parlour import actions as a
from tests.parlour import events as e
from tests.parlour.state import START_FACTS, Phase, Player, State, read_options

Result = tuple[tuple[c.Event, ...], State]


def decide(steps: Steps[State], actor: int, action: ca.Action, shuffler: Shuffler) -> Result:
    """The facts of an action.  Raises ``Refused``."""
    match action:
        case a.Keep():
            _require_turn(steps.state, actor)
            steps.emit(e.Kept(actor))
            _go_on(steps)
        case a.Fold():
            _require_turn(steps.state, actor)
            steps.emit(e.Folded(actor))
            _go_on(steps)
        case a.Swap(cards):
            _swap(steps, actor, cards, shuffler)
        case a.Peek(target, index):
            _peek(steps, actor, target, index)
        case a.StartHand():
            _start(steps, shuffler)
        case ca.TimeOut():
            _require_phase(steps.state, Phase.TURNS)
            late = steps.state.acting
            steps.emit(c.TurnTimedOut(late))
            keep = steps.state.options.on_timeout == "keep"
            steps.emit(e.Kept(late) if keep else e.Folded(late))
            _go_on(steps)
        case ca.OpenTable(options, start):
            _require_phase(steps.state, Phase.NONE)
            chosen, texts = read_options(options)
            values, facts = parse_options(START_FACTS, start)
            if int(str(values["dealer"])) >= chosen.seats:
                raise Refused("INVALID_OPTIONS", option="dealer", expected="a seat of the table")
            steps.emit(c.TableOpened("parlour", texts, facts))
        case ca.CloseTable():
            _require_phase(steps.state, Phase.LOBBY)
            for seat, player in enumerate(steps.state.players):
                if player is not None:
                    steps.emit(c.SeatLeft(seat, player.chips))
            steps.emit(c.TableClosed("HOST"))
        case _:
            _seating(steps, actor, action)
    return steps.result()


def _require_phase(state: State, *phases: Phase) -> None:
    if state.phase not in phases:
        raise Refused("TABLE_CLOSED" if state.phase is Phase.CLOSED else "WRONG_PHASE")


def _require_player(state: State, seat: int) -> Player:
    player = state.players[seat] if 0 <= seat < len(state.players) else None
    if player is None:
        raise Refused("NOT_SEATED", seat=seat)
    return player


def _require_turn(state: State, seat: int) -> Player:
    _require_phase(state, Phase.TURNS)
    player = _require_player(state, seat)
    if seat not in state.order or seat in state.folded:
        raise Refused("NOT_IN_HAND", seat=seat)
    if seat != state.acting:
        raise Refused("NOT_YOUR_TURN", seat=seat)
    return player


def _seating(steps: Steps[State], actor: int, action: ca.Action) -> None:
    state = steps.state
    if isinstance(action, ca.TakeSeat):
        chips = require_amount("chips", action.chips)
    elif isinstance(action, ca.AddChips):
        amount = require_amount("amount", action.amount, 1)
    _require_phase(state, Phase.LOBBY, Phase.TURNS)
    if isinstance(action, ca.TakeSeat):
        if not 0 <= actor < len(state.players):
            raise Refused("SEAT_OUT_OF_RANGE", seat=actor)
        if state.players[actor] is not None:
            raise Refused("SEAT_TAKEN", seat=actor)
        if any(p is not None and p.name == action.player for p in state.players):
            raise Refused("ALREADY_SEATED")
        require_room("chips", _all_chips(state), chips)
        steps.emit(c.SeatTaken(actor, action.player, chips))
        return
    player = _require_player(state, actor)
    if player.leaving:
        raise Refused("ALREADY_LEAVING", seat=actor)
    in_hand = actor in state.order
    match action:
        case ca.LeaveSeat() if not in_hand:
            steps.emit(c.SeatLeft(actor, player.chips))
        case ca.LeaveSeat():
            steps.emit(c.SeatLeaving(actor))
            _go_on(steps)
        case ca.AddChips():
            if in_hand:
                raise Refused("IN_HAND")
            require_room("amount", _all_chips(state), amount)
            steps.emit(c.ChipsAdded(actor, amount))
        case ca.SitOut():
            if player.out:
                raise Refused("ALREADY_OUT")
            steps.emit(c.SatOut(actor))
        case ca.SitIn():
            if not player.out:
                raise Refused("NOT_OUT")
            steps.emit(c.SatIn(actor))
        case _:
            raise TypeError(f"{type(action).__name__} is no action of Parlour")


def _all_chips(state: State) -> int:
    return state.pot + sum(player.chips for player in state.players if player)


def ready(state: State) -> list[int]:
    """Seats that can be dealt in, in turn order, the next dealer last."""
    n = len(state.players)
    seats = [(state.button + step) % n for step in range(n)]
    able = [s for s in seats if (p := state.players[s]) and not p.out]
    able = [s for s in able if (p := state.players[s]) and p.chips >= state.options.ante]
    return able[1:] + able[:1]


def _start(steps: Steps[State], shuffler: Shuffler) -> None:
    state, options = steps.state, steps.state.options
    _require_phase(state, Phase.LOBBY)
    seats = ready(state)
    if len(seats) < 2:
        raise Refused("NOT_ENOUGH_PLAYERS", ready=len(seats))
    steps.emit(e.HandStarted(state.hand_no + 1, tuple(seats)))
    for seat in seats:
        steps.emit(e.AntePaid(seat, options.ante))
    steps.emit(c.DeckShuffled("DEAL", Private(shuffler.shuffle("DEAL", PACK), SERVER)))
    for index in range(options.hand_size):
        for seat in seats:
            _deal(steps, seat, index)
    steps.emit(e.HouseCardDealt(Private(steps.state.draw[0], SERVER)))
    steps.emit(e.PackCut(options.draw_pile))


def _deal(steps: Steps[State], seat: int, index: int) -> None:
    steps.emit(e.CardDealt(seat, index, Private(steps.state.draw[0], seats_only(seat))))


def _swap(steps: Steps[State], actor: int, cards: object, shuffler: Shuffler) -> None:
    if not isinstance(cards, tuple) or len(cards) != 1 or not is_amount(cards[0], 1, 52):
        raise Refused("INVALID_CARD", field="cards", expected="one card")
    state = steps.state
    _require_turn(state, actor)
    hand = state.hands[state.order.index(actor)]
    held = [slot.card for slot in hand]
    if cards[0] not in held:
        raise Refused("CARD_NOT_HELD")
    index = held.index(cards[0])
    # Who looked at a card learns no more and no less when it goes.
    known = EVERYONE if state.options.open_discards else hand[index].audience
    steps.emit(e.CardDiscarded(actor, index, Private(cards[0], known)))
    if not state.draw:
        pile = tuple(sorted(slot.card for slot in steps.state.discard))
        steps.emit(c.DeckShuffled("REFILL", Private(shuffler.shuffle("REFILL", pile), SERVER)))
    _deal(steps, actor, index)
    _go_on(steps)


def _peek(steps: Steps[State], actor: int, target: object, index: object) -> None:
    seat = require_amount("target", target, 0, 3)
    place = require_amount("index", index, 0, 2)
    state = steps.state
    player = _require_turn(state, actor)
    if state.peeked:
        raise Refused("ALREADY_PEEKED")
    if seat not in state.order or seat in state.folded or seat == actor:
        raise Refused("NOT_IN_HAND", seat=seat)
    if place >= state.options.hand_size:
        raise Refused("NO_SUCH_CARD", index=place)
    if player.chips < state.options.ante:
        raise Refused("INSUFFICIENT_CHIPS", needed=state.options.ante)
    card = Private(state.hands[state.order.index(seat)][place].card, seats_only(actor, seat))
    steps.emit(e.CardShown(actor, seat, place, state.options.ante, card))


def _go_on(steps: Steps[State]) -> None:
    """Folds for those who leave when their turn comes, and ends the hand when it is over."""
    while True:
        state = steps.state
        alive = [seat for seat in state.order if seat not in state.folded]
        if len(alive) == 1 or state.acting < 0:
            return _end(steps, alive)
        player = state.players[state.acting]
        if player is None or not player.leaving:
            return None
        steps.emit(e.Folded(state.acting))


def _end(steps: Steps[State], alive: list[int]) -> None:
    state = steps.state
    winners = alive
    if len(alive) > 1:
        (house,) = state.house
        steps.emit(e.HouseCardRevealed(house.card))
        points: dict[int, int] = {}
        for seat in alive:
            cards = tuple(slot.card for slot in state.hands[state.order.index(seat)])
            suited = [suit_of(card) == suit_of(house.card) for card in cards]
            ranks = [rank_of(card) + 2 for card in cards]
            points[seat] = sum(r * (1 + s) for r, s in zip(ranks, suited, strict=True))
            steps.emit(e.HandShown(seat, cards, points[seat]))
        winners = [seat for seat in alive if points[seat] == max(points.values())]
    share, odd = divmod(state.pot, len(winners))
    for place, seat in enumerate(winners):
        if share + (place < odd):
            steps.emit(e.PotAwarded(seat, share + (place < odd)))
    steps.emit(e.HandEnded(state.hand_no))
    for seat, player in enumerate(steps.state.players):
        if player and player.leaving:
            steps.emit(c.SeatLeft(seat, player.chips))


def legal_actions(state: State, seat: int) -> tuple[Offer, ...]:
    """What the acting seat may do."""
    if seat == HOST or state.phase is not Phase.TURNS or seat != state.acting:
        return ()
    hand = tuple(slot.card for slot in state.hands[state.order.index(seat)])
    offers = [Offer(a.Keep), Offer(a.Swap, (Cards("cards", hand, 1, 1),))]
    player = state.players[seat]
    if player and player.chips >= state.options.ante and not state.peeked:
        index = Range("index", 0, state.options.hand_size - 1)
        others = sorted(set(state.order) - state.folded - {seat})
        offers += [Offer(a.Peek, (Range("target", other, other), index)) for other in others]
    return (*offers, Offer(a.Fold))
