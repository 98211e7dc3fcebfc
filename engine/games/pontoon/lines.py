"""A view of a Pontoon table in position notation (pontoon 12.0)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.cards import card_names
from engine.games.pontoon.state import Phase
from engine.games.pontoon.view import HandView, PontoonView
from engine.kernel import Lines

__all__ = ["DEFAULTS", "derived", "line_matches", "lines"]

DEFAULTS = {
    "phase": "WAITING",
    "deal": "0",
    "banker": "none",
    "kitty": "0",
    "reshuffle": "no",
    "auction_used": "no",
    "offers_made": "0",
    "sale": "none",
    "bid": "none",
    "turn": "none",
    "stake": "0",
    "shoot": "0",
    "room": "0",
    "escrow": "0",
}
"""What a line that is left out stands for, by its first word; ``none`` for all others."""

_OTHERS = frozenset(
    {
        "players",
        "stacks",
        "out",
        "out_next",
        "leaving",
        "vacated",
        "offer",
        "bidders",
        "bank_hand",
        "hands",
        "bets",
        "bought",
        "closed",
        "stock",
        "free",
    }
)
_NOTHING = frozenset({"", "-", "none"})


def _names(cards: Iterable[int]) -> str:
    return card_names(cards)


def _numbers(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


def _without_tail(stock: tuple[int, ...]) -> tuple[int, ...]:
    """The stock without its longest tail in canonical order; a hidden stock has none (12.0)."""
    if not any(stock):
        return stock
    end = len(stock) - 1
    while end > 0 and stock[end - 1] < stock[end]:
        end -= 1
    return stock[:end]


def _label(hand: HandView) -> str:
    return f"{hand.seat}.{hand.number}"


def lines(seen: PontoonView) -> Lines:
    """Position notation of a view, defaults left out, in the order of 12.0."""
    out: Lines = []

    def put(key: str, value: str) -> None:
        if value and value != DEFAULTS.get(key):
            out.append((key, value))

    taken = [seat for seat, name in enumerate(seen.players) if name]
    named = [seat for seat in taken if seen.players[seat] != f"p{seat}"]
    put("phase", seen.phase)
    put("deal", str(seen.deal))
    put("players", " ".join(f"{seat}={seen.players[seat]}" for seat in named))
    put("stacks", " ".join(f"{seat}={seen.stacks[seat]}" for seat in taken))
    put("out", _numbers(seen.out))
    put("out_next", _numbers(seen.out_next))
    put("leaving", _numbers(seen.leaving))
    put("banker", "" if seen.banker is None else str(seen.banker))
    put("kitty", str(seen.kitty))
    put("reshuffle", "yes" if seen.reshuffle else "no")
    put("vacated", _numbers(seen.vacated))
    put("auction_used", "yes" if seen.auction_used else "no")
    put("offers_made", str(seen.offers_made))
    for offer in seen.offers:
        put(f"offer {offer.offer_id}", _numbers(offer[1:]))
    put("sale", _numbers(seen.sale) if seen.sale else "")
    put("bidders", _numbers(seen.bidders))
    put("bid", _numbers(seen.bid) if seen.bid else "")
    if seen.phase in {Phase.SHOOT_BETTING, Phase.AUCTION} and seen.turn is not None:
        put("turn", str(seen.turn))
    out += _deal_lines(seen)
    put("stock", _names(_without_tail(seen.stock)))
    return out


def _deal_lines(seen: PontoonView) -> Lines:
    """The lines of a running deal."""
    out: Lines = []
    if seen.bank_hand:
        out.append(("bank_hand", _names(seen.bank_hand)))
    held = list(zip(seen.hands, seen.cards, strict=True))
    for seat in seen.punters:
        row = [f"{hand.number}[{_names(cards)}]" for hand, cards in held if hand.seat == seat]
        out.append((f"hands {seat}", " ".join(row)))
    bets = [f"{seat}={bet}" for seat, bet in zip(seen.punters, seen.bets, strict=True) if bet]
    if bets:
        out.append(("bets", " ".join(bets)))
    out += [(f"bought {_label(h)}", _numbers(h.bought)) for h in seen.hands if h.bought]
    out += [(f"shoot {_label(h)}", str(h.shoot)) for h in seen.hands if h.shoot]
    closed = [_label(hand) for hand in seen.hands if hand.closed]
    if closed:
        out.append(("closed", " ".join(closed)))
    return out


def derived(seen: PontoonView) -> Lines:
    """Lines that follow from the others; ``top`` and ``bottom`` are the whole stock here."""
    found: Lines = [
        ("turn", "none" if seen.turn is None else str(seen.turn)),
        ("room", str(seen.room)),
        ("escrow", str(seen.escrow)),
    ]
    found += [
        (f"free {seat}", str(seen.free[seat])) for seat, name in enumerate(seen.players) if name
    ]
    found += [(f"stake {_label(hand)}", str(hand.stake)) for hand in seen.hands]
    found += [("top", _names(seen.stock)), ("bottom", _names(seen.stock))]
    return found


def line_matches(found: Mapping[str, str], key: str, expected: str) -> bool | None:
    """Whether a check holds, where that is not plain equality (12.0)."""
    word = key.partition(" ")[0]
    if word in {"top", "bottom"}:
        wanted, stock = expected.split(), found[word].split()
        return wanted == (stock[: len(wanted)] if word == "top" else stock[-len(wanted) :])
    if key in found:
        return None
    if word in DEFAULTS:
        default = DEFAULTS[word]
        return (
            expected == default
            or (default == "none" and expected in _NOTHING)
            or (word == "shoot" and expected in _NOTHING)
        )
    return expected in _NOTHING if word in _OTHERS else None
