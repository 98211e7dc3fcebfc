"""``kartejo odds``: exact chances, worked out here, without a service."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.options import AsJson, help_text

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Exact odds: counted, never guessed, as fractions. No service is needed.",
)

Cards = Annotated[
    str, typer.Option(metavar="CARDS", help="Cards such as Td or As, with commas between them.")
]
Gone = Annotated[
    str, typer.Option(metavar="CARDS", help="Other cards that were seen and cannot come any more.")
]
GameOptions = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the table."),
]


def royal_flush(
    option: GameOptions = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every combination of styles and targets.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="With --all: the table as Markdown.")
    ] = False,
    simulate: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=10**12, help="Play N shuffled deals besides, and compare."
        ),
    ] = 0,
    seed: Annotated[str, typer.Option(help="Of the deals: the same seed, the same deals.")] = (
        "kartejo"
    ),
    jobs: Annotated[
        int, typer.Option(min=0, max=256, help="Threads that play; 0: one for each processor.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """The chance that a game of Royal Flush is won.

    It is exact: every set of places that the hand can hold in the pack is played out, and the
    other cards that a search might stop at are counted. docs/odds.md says how, and why that is
    right. A simulation plays decks card by card; it shares no code with the exact way.

    Examples
      kartejo odds royal_flush
      kartejo odds royal_flush -o target_mode=full_house -o gather_style=turn_piles
      kartejo odds royal_flush --simulate 10000000
      kartejo odds royal_flush --all --markdown
    """
    from service.cli.flush_chances import Simulation, royal_flush_chance, royal_flush_chances

    simulation = Simulation(simulate, seed, jobs)
    given = _options(option)
    if every:
        if given or as_json:
            raise typer.BadParameter("goes alone or with --markdown", param_hint="--all")
        royal_flush_chances(simulation, markdown=markdown)
        return
    if markdown:
        raise typer.BadParameter("goes with --all", param_hint="--markdown")
    royal_flush_chance(given, simulation, as_json=as_json)


def palace_poker(
    banner: Annotated[str, typer.Argument(metavar="BANNER", help="Your banner, such as Kc.")],
    against: Annotated[str, typer.Argument(metavar="BANNER", help="The other banner.")],
    soldiers: Cards = "",
    palace: Cards = "",
    their_soldiers: Cards = "",
    their_palace: Cards = "",
    gone: Gone = "",
    ace_high: Annotated[
        bool, typer.Option("--ace-high", help="A 2 3 4 5 is no straight (ace_low_straight=false).")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """The chances of a battle of Palace Poker: win, total tie, lose.

    All palaces that the cards in sight leave open are laid out. Cards of the other banner's suit
    do not count; of equal hands the one with more cards of its own suit wins.

    Examples
      kartejo odds palace_poker Kc 9d --palace 2c,7h,7s
      kartejo odds palace_poker Kc 9d --palace 2c,7h,7s --their-soldiers 9h --gone Qs,Qh
    """
    from service.cli.chances import battle_chances

    battle_chances(
        (banner, soldiers, palace),
        (against, their_soldiers, their_palace),
        gone,
        ace_low=not ace_high,
        as_json=as_json,
    )


def pontoon(
    hand: Annotated[str, typer.Argument(metavar="CARDS", help="The hand, such as Ac,4d.")],
    punter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CARDS=STAKE",
            help="A live hand as it lies there, its cards in the order in which they came, ?? for "
            "a face that is down: then HAND is the banker's. May be given again. After the stake "
            ":pontoon for one that was declared, :split for one of a split.",
        ),
    ] = None,
    gone: Gone = "",
    split: Annotated[bool, typer.Option("--split", help="The hand comes of a split.")] = False,
    option: GameOptions = None,
    as_json: AsJson = False,
) -> None:
    """What one more card makes of a hand of Pontoon; for the banker, whether to stay or to draw.

    For a punter: the chances to bust and to improve. For the banker: what staying and drawing win
    on average, in chips, over all cards that may lie face down: hands that are not bust, that were
    allowed to take their cards and to stick, and that are no undeclared pontoons nor began as one.

    Examples
      kartejo odds pontoon Ac,4d
      kartejo odds pontoon Kc,4d --gone 5h,6h
      kartejo odds pontoon 9c,6d --punter "??,??=10" --punter "??,??,5d=40"
      kartejo odds pontoon Tc,8d --punter "Ah,??=10:pontoon" -o soft_21_draw=false
    """
    from service.cli.chances import bank_chances, hand_chances

    if punter:
        if split:
            raise typer.BadParameter("the banker's hand is never split", param_hint="--split")
        bank_chances(hand, punter, gone, _options(option), as_json=as_json)
    else:
        hand_chances(hand, gone, _options(option), split=split, as_json=as_json)


def royal_casino(
    hand: Cards = "", table: Cards = "", gone: Gone = "", as_json: AsJson = False
) -> None:
    """How many cards of each kind were not seen in a deal of Royal Casino.

    Examples
      kartejo odds royal_casino --hand 5c,9d,Ts,Ah --table 2c,Jd,Js,6h
    """
    from service.cli.chances import casino_counts

    casino_counts(hand, table, gone, as_json=as_json)


def _options(texts: list[str] | None) -> dict[str, str]:
    from service.cli.failures import CommandError

    given: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise CommandError("BAD_OPTION", f"an option is NAME=VALUE, not {text!r}")
        given[name] = value
    return given


for each in (royal_flush, palace_poker, pontoon, royal_casino):
    app.command(each.__name__, help=help_text(each))(each)
