"""``kartejo investigate``: who played with whom, and what moved between them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.loop import run_async
from service.cli.options import (
    Address,
    AsJson,
    Certificate,
    Data,
    TokenFile,
    Where,
    help_text,
)

if TYPE_CHECKING:
    from service.client import Client
    from service.client.investigations import FoundHands
    from service.pb import investigation_service_pb2 as pb

__all__ = ["app", "moment_of"]

app = typer.Typer(
    no_args_is_help=True,
    help="Hands and pairs of players, found by what they won and lost. Needs the role auditor or "
    "admin; players are named by their ids, by admins also by the names of their tokens.",
)

Game = Annotated[str, typer.Option(help="Only hands of this game.")]
First = Annotated[str, typer.Option("--from", metavar="DAY", help="First day: 2026-11-30 (UTC).")]
Last = Annotated[str, typer.Option("--to", metavar="DAY", help="Last day.")]


def moment_of(text: str) -> datetime:
    """A time such as 2026-11-30 or 2026-11-30T18:00; raises ``typer.BadParameter``.

    >>> moment_of("2026-11-30T18:00").isoformat()
    '2026-11-30T18:00:00+00:00'
    """
    try:
        if not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError
        found = datetime.fromisoformat(text)
    except ValueError:
        expected = "2026-11-30 or 2026-11-30T18:00, in UTC unless it says otherwise"
        raise typer.BadParameter(f"{text!r} is no time such as {expected}") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def hands(
    player: Annotated[str | None, typer.Option(help="Hands of this player.")] = None,
    other: Annotated[
        str | None, typer.Option("--with", help="… that he shared with this one.")
    ] = None,
    table: Annotated[str, typer.Option(help="Hands of this table.")] = "",
    game: Game = "",
    since: Annotated[str, typer.Option(help="Begun then or later: 2026-11-30T18:00 (UTC).")] = "",
    until: Annotated[str, typer.Option(help="Begun before then.")] = "",
    least: Annotated[
        int,
        typer.Option(
            min=0,
            help="Chips: that went between the two, that the player won or lost, or else that "
            "anybody did.",
        ),
    ] = 0,
    most: Annotated[int, typer.Option(min=1, max=100_000, help="How many, newest first.")] = 50,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Find hands, and who won what from whom in them.

    Examples
      kartejo investigate hands --player ann --since 2026-11-01
      kartejo investigate hands --player ann --with bob --least 100
      kartejo investigate hands --least 10000 --json
    """
    from service.client import investigations, people
    from service.pb import investigation_service_pb2 as pb

    where = Where(address, token_file, certificate, data)
    wanted = pb.FindHandsRequest(
        player=people.person_of(player),
        other=people.person_of(other),
        table_id=table,
        game=game,
        least_chips=least,
    )
    if since:
        wanted.since.FromDatetime(moment_of(since))
    if until:
        wanted.until.FromDatetime(moment_of(until))

    async def ask() -> tuple[FoundHands, dict[str, str]]:
        async with where.client() as client:
            found = await investigations.find_hands(client, wanted, most)
            ids = {each.player for hand in found.hands for each in hand.results}
            return found, await people.names(client, ids)

    found, names = run_async(ask())
    if as_json:
        from service.cli.console import print_json

        print_json([_told(hand, names) for hand in found.hands])
    else:
        _print_hands(found, names)


def pair(
    player: Annotated[str, typer.Argument(help="A player.")],
    other: Annotated[str, typer.Argument(help="Another one.")],
    first: First = "",
    last: Last = "",
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Tell what moved between two players, game by game.

    Examples
      kartejo investigate pair ann bob
      kartejo investigate pair ann bob --from 2026-11-01 --to 2026-11-30 --json
    """
    from service.cli.console import Output, print_json
    from service.client import investigations, people
    from service.pb import investigation_service_pb2 as pb

    where = Where(address, token_file, certificate, data)
    request = pb.GetPairRequest(
        player=people.person_of(player),
        other=people.person_of(other),
        days=pb.Days(first=first, last=last),
    )

    async def ask() -> pb.GetPairResponse:
        async with where.client() as client:
            return await investigations.get_pair(client, request)

    found = run_async(ask())
    if as_json:
        games = [
            {"game": each.game, "hands": each.hands, "won": each.won, "lost": each.lost}
            for each in found.games
        ]
        print_json({"player": found.player, "other": found.other, "games": games})
        return
    out = Output()
    if not found.games:
        out.print("They shared no hand.")
    for each in found.games:
        won, lost = each.won, each.lost
        out.print(
            f"{each.game:<14} {each.hands:>8} hands   won {won:>12}   lost {lost:>12}   "
            f"net {won - lost:>+12}",
            markup=False,
        )
    _tell_lag(found.commits_behind)


def pairs(
    game: Game = "",
    first: First = "",
    last: Last = "",
    player: Annotated[str | None, typer.Option(help="Only pairs of this player.")] = None,
    least_hands: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Only pairs that shared so many hands.")
    ] = 20,
    most: Annotated[int, typer.Option(min=1, max=1_000, help="How many to tell.")] = 20,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Rank pairs of players by how unusual it is what moved between them.

    DIRECTION: one wins from the other more than chance, and what either does with everybody else,
    would say. VOLUME: more moves between them than between others of the same hands, or, negative,
    less. Both in standard deviations; SCORE is the larger. A high score is a reason to look at
    their hands, and no proof of anything: docs/auditing.md.

    Examples
      kartejo investigate pairs
      kartejo investigate pairs --game palace_poker --from 2026-11-01 --json
    """
    from service.client import investigations, people
    from service.pb import investigation_service_pb2 as pb

    where = Where(address, token_file, certificate, data)
    request = pb.RankPairsRequest(
        days=pb.Days(first=first, last=last),
        game=game,
        least_hands=least_hands,
        player=people.person_of(player),
        limit=most,
    )

    async def ask() -> tuple[pb.RankPairsResponse, dict[str, str]]:
        async with where.client() as client:
            found = await investigations.rank_pairs(client, request)
            return found, await _names(client, found.pairs)

    found, names = run_async(ask())
    if as_json:
        from service.cli.console import print_json

        told = [_ranked(each, names) for each in found.pairs]
        print_json({"judged": found.judged, "threshold": found.threshold, "pairs": told})
    else:
        _print_pairs(found, names)


async def _names(client: Client, pairs: Iterable[pb.RankedPair]) -> dict[str, str]:
    from service.client import people

    return await people.names(client, {who for each in pairs for who in (each.winner, each.loser)})


def _told(hand: pb.FoundHand, names: dict[str, str]) -> dict[str, object]:
    from service.cli.console import moment

    return {
        "table": hand.table_id,
        "hand": hand.hand,
        "game": hand.game,
        "started": moment(hand.start_time),
        "ended": moment(hand.end_time),
        "over": hand.over,
        "results": [
            {"player": each.player, "name": names.get(each.player, ""), "net": each.net}
            for each in hand.results
        ],
        "transfers": [
            {"payer": each.payer, "payee": each.payee, "chips": each.chips}
            for each in hand.transfers
        ],
    }


def _ranked(each: pb.RankedPair, names: dict[str, str]) -> dict[str, object]:
    return {
        "place": each.place,
        "winner": each.winner,
        "winner_name": names.get(each.winner, ""),
        "loser": each.loser,
        "loser_name": names.get(each.loser, ""),
        "hands": each.hands,
        "won": each.won,
        "lost": each.lost,
        "expected": round(each.expected, 3),
        "score": round(each.score, 2),
        "direction": round(each.direction, 2),
        "volume": round(each.volume, 2),
    }


def _shown(player: str, names: dict[str, str]) -> str:
    return f"{names[player]} ({player[:8]})" if player in names else player


def _print_hands(found: FoundHands, names: dict[str, str]) -> None:
    from service.cli.console import Output, moment

    out = Output()
    if not found.hands:
        out.print("No such hand was found.")
    for hand in found.hands:
        running = "" if hand.over else "  (not over)"
        head = f"{moment(hand.start_time)}  {hand.table_id}  hand {hand.hand}  {hand.game}{running}"
        out.print(head, markup=False)
        for each in hand.results:
            out.print(f"  {each.net:>+12}  {_shown(each.player, names)}", markup=False)
    if found.more:
        out.print("There are more: raise --most, or narrow the search.")
    _tell_lag(found.behind)


def _print_pairs(found: pb.RankPairsResponse, names: dict[str, str]) -> None:
    from rich.table import Table
    from rich.text import Text

    from service.cli.console import Output

    out = Output()
    rows = Table(box=None, header_style="dim", pad_edge=False)
    for title in ("", "winner", "loser"):
        rows.add_column(title, no_wrap=True)
    for title in ("hands", "won", "lost", "expected", "score", "direction", "volume"):
        rows.add_column(title, no_wrap=True, justify="right")
    for each in found.pairs:
        mark = "!" if each.score > found.threshold else " "
        rows.add_row(
            f"{each.place}{mark}",
            Text(_shown(each.winner, names)),  # who chose the name wrote no markup
            Text(_shown(each.loser, names)),
            str(each.hands),
            str(each.won),
            str(each.lost),
            f"{each.expected:.0f}",
            f"{each.score:.1f}",
            f"{each.direction:+.1f}",
            f"{each.volume:+.1f}",
        )
    if found.pairs:
        out.print(rows)
    beyond = sum(each.score > found.threshold for each in found.pairs)
    told = "none of those shown are" if not beyond else f"{beyond} of those shown are"
    out.print(
        f"{found.judged} pairs judged; {told} beyond {found.threshold:.1f}, "
        "where chance alone puts a pair about once in a hundred reports."
    )
    _tell_lag(found.commits_behind)


def _tell_lag(behind: int) -> None:
    from service.cli.console import Output
    from service.cli.words import counted

    if behind:
        Output().print(f"The index lacks the newest {counted(behind, 'commit')}.")


for command in (hands, pair, pairs):
    app.command(command.__name__, help=help_text(command))(command)
