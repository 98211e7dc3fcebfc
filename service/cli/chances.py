"""What ``kartejo odds`` prints: fractions, decimals, and a bar while it takes time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from engine.cards import HIDDEN, Card, parse_card
from engine.games.palace_poker import odds as palace
from engine.games.pontoon.bank_odds import Punter, bank
from engine.games.pontoon.odds import next_card
from engine.games.pontoon.options import read_options as pontoon_options
from engine.games.pontoon.totals import TRICK
from engine.games.royal_casino.odds import count_unseen
from service.cli.console import Output, print_json
from service.cli.failures import CommandError

__all__ = [
    "bank_chances",
    "bar_of",
    "battle_chances",
    "casino_counts",
    "decimal",
    "fraction",
    "hand_chances",
]

DIGITS: Final = 10

_COLUMNS: Final = (
    TextColumn("{task.description}"),
    BarColumn(),
    TaskProgressColumn(),
    TimeRemainingColumn(),
)


@contextmanager
def bar_of(what: str) -> Iterator[Callable[[float], None]]:
    """A progress bar on a terminal, on standard error; it is told the share that is done."""
    console = Console(stderr=True)
    with Progress(*_COLUMNS, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def decimal(value: Fraction) -> str:
    """As people read it."""
    return f"{float(value):.{DIGITS}f}"


def fraction(value: Fraction) -> dict[str, object]:
    """As programs read it: digits of any number, and the nearest number that JSON has."""
    return {
        "numerator": str(value.numerator),
        "denominator": str(value.denominator),
        "decimal": float(value),
    }


def _cards(name: str, text: str, *, hidden: bool = False) -> tuple[Card, ...]:
    """Cards with commas or blanks between them; raises ``CommandError``."""
    found: list[Card] = []
    for word in text.replace(",", " ").split():
        if hidden and word == "??":
            found.append(HIDDEN)
            continue
        try:
            found.append(parse_card(word))
        except ValueError as error:
            hint = "a card is a rank and a suit, such as Td or As"
            raise CommandError("BAD_CARD", f"{name}: {error}", hint) from None
    return tuple(found)


def _one(name: str, text: str) -> Card:
    found = _cards(name, text)
    if len(found) != 1:
        raise CommandError("BAD_CARD", f"{name}: expected one card, not {text!r}")
    return found[0]


def battle_chances(
    ours: tuple[str, str, str],
    theirs: tuple[str, str, str],
    gone: str,
    *,
    ace_low: bool,
    as_json: bool,
) -> None:
    """Win, tie, lose; each side as banner, soldiers, palace."""
    us, them = (
        palace.Side(
            _one(f"{name} banner", banner),
            _cards(f"{name} soldiers", soldiers),
            _cards(f"{name} palace", hidden),
        )
        for name, (banner, soldiers, hidden) in (("our", ours), ("their", theirs))
    )
    with bar_of("counting") as told:
        found = palace.equity(us, them, _cards("gone", gone), ace_low=ace_low, progress=told)
    if as_json:
        print_json({**found._asdict(), "all": found.all})
        return
    out = Output()
    for name, count in (("win", found.won), ("tie", found.tied), ("lose", found.lost)):
        share = Fraction(count, found.all)
        out.print(f"{name:<4}  {count:>11,} of {found.all:,}  {decimal(share)}")


def hand_chances(
    hand: str, gone: str, given: dict[str, str], *, split: bool, as_json: bool
) -> None:
    """What the next card makes of a punter's hand."""
    options, _ = pontoon_options(given)
    found = next_card(_cards("hand", hand), _cards("gone", gone), options, split=split)
    shares = {name: getattr(found, name) for name in ("bust", "worse", "same", "better")}
    if as_json:
        after = {str(worth): count for worth, count in found.after}
        print_json(
            {"now": found.now, "left": found.left, "after": after}
            | {name: fraction(share) for name, share in shares.items()}
        )
        return
    out = Output()
    out.print(f"now {found.now}; {found.left} cards may come")
    for name, share in shares.items():
        out.print(f"{name:<6}  {share!s:>6}  {decimal(share)}")
    for worth, count in found.after:
        out.print(f"  {_worth(worth):<15} {count:>2} cards")


def _worth(strength: int) -> str:
    names = {0: "bust", TRICK: "five-card trick"}
    return names.get(strength, str(strength))


def bank_chances(
    hand: str, punters: Sequence[str], gone: str, given: dict[str, str], *, as_json: bool
) -> None:
    """What staying and drawing are worth to the banker."""
    options, _ = pontoon_options(given)
    with bar_of("counting") as told:
        found = bank(
            _cards("hand", hand),
            [_punter(text) for text in punters],
            _cards("gone", gone),
            options,
            progress=told,
        )
    if as_json:
        values = found._asdict().items()
        print_json({name: value and fraction(value) for name, value in values})
        return
    out = Output()
    out.print(f"stay  {float(found.stay):+.6f} chips on average")
    if found.draw is None or found.bust is None:
        out.print("no card can be drawn")
        return
    out.print(f"draw  {float(found.draw):+.6f} chips on average")
    out.print(f"bust  {decimal(found.bust)} chance to pass 21 with this card")
    out.print("drawing wins more" if found.draw > found.stay else "staying wins more or as much")


def _punter(text: str) -> Punter:
    """``CARDS=STAKE[:pontoon][:split]``; raises ``CommandError``."""
    cards, _, rest = text.partition("=")
    stake, *marks = rest.split(":")
    if not re.fullmatch("[0-9]{1,19}", stake) or set(marks) - {"pontoon", "split"}:
        what = f"a punter is CARDS=STAKE, with :pontoon or :split after it, not {text!r}"
        raise CommandError("BAD_PUNTER", what)
    return Punter(
        _cards("punter", cards, hidden=True), int(stake), "pontoon" in marks, "split" in marks
    )


def casino_counts(hand: str, table: str, gone: str, *, as_json: bool) -> None:
    """Cards of each kind that were not seen."""
    found = count_unseen(_cards("hand", hand), _cards("table", table), _cards("gone", gone))
    scoring = [item.name.lower() for item in found.scoring]
    if as_json:
        values = {str(value): count for value, count in enumerate(found.values, 2)}
        print_json(
            {"cards": found.cards, "values": values, "spades": found.spades, "scoring": scoring}
        )
        return
    out = Output()
    out.print(f"{found.cards} cards were not seen")
    for value, count in enumerate(found.values, 2):
        out.print(f"  worth {value:>2}  {count}")
    out.print(f"  spades    {found.spades}")
    out.print(f"  scoring   {', '.join(scoring) or 'none'}")
