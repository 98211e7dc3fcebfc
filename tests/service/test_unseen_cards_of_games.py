"""Deals of Pontoon and Royal Casino that differ in cards a viewer never sees: the same bytes.

As ``test_non_interference``, with the rules of real games: the whole service runs twice in a
stepped world of the same seed, and what every surface tells an onlooker or a player is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from engine.actions import Action, TakeSeat
from engine.cards import PACK, parse_card
from engine.games.pontoon import actions as p
from engine.games.royal_casino import actions as r
from engine.kernel import HOST
from service.identity import LAB_ISSUER, MemoryIdentityMap
from service.pb import lab_service_pb2 as lab
from service.pb import table_service_pb2 as pb
from service.world import SteppedWorld
from tests.service.harness import Client, failing, run, running
from tests.service.surfaces import everything

Told = list[tuple[str, bytes]]
PLAYERS = ("p0", "p1", "p2")


def deck(text: str) -> tuple[int, ...]:
    """A whole pack from the top; what is not named follows in canonical order."""
    named = tuple(map(parse_card, text.split()))
    return (*named, *(card for card in PACK if card not in named))


class Pair(NamedTuple):
    """Two decks, what is done with either, and who may not notice the difference."""

    game: str
    options: dict[str, str]
    seats: int
    decks: tuple[tuple[int, ...], tuple[int, ...]]
    steps: tuple[tuple[int, Action], ...]
    tries: tuple[Action, ...]
    """What the viewer is refused at the end."""
    player: str
    """The viewer who sits there."""


# Punter 2 loses with his cards face down.  The second deal goes on with the same pack: what he
# was dealt and bought, and the bank's second card, are not seen yet.
PONTOON = Pair(
    "pontoon",
    {
        "min_players_to_start": "2",
        "first_banker": "nominated",
        "nominated_seat": "0",
        "reveal_losers": "false",
    },
    3,
    (
        deck("5c 9d 8h Jc 7s 9s Kc 3c 4c 9h 4h 6d 2s"),
        deck("5c Td 8h Jc 6s 9s Kc 2h 4c 9h 4h 5d 8s"),
    ),
    (
        (HOST, p.StartGame()),
        (0, p.StartDeal()),
        (1, p.PlaceBet(10)),
        (2, p.PlaceBet(20)),
        (1, p.Stick()),
        (2, p.Stick()),
        (0, p.BankerStay()),
        (0, p.StartDeal()),
        (1, p.PlaceBet(10)),
        (2, p.PlaceBet(20)),
        (1, p.Stick()),
        (2, p.BuyCard(20)),
    ),
    (p.BuyCard(10), p.TwistCard(), p.SplitHand(), p.DeclarePontoon(), p.AcceptBankOffer(1)),
    "p1",
)

# Seat 1 leads: it builds and captures alike, and keeps two cards that differ.
CASINO = Pair(
    "royal_casino",
    {"players": "2", "first_dealer": "0"},
    2,
    (
        deck("5c 9d Th 2s 3c 6d Kc Qs 4h 7h 8h Jd"),
        deck("5c 9d As 2d 3c 6d Kc Qs 4h 7h 8h Jd"),
    ),
    (
        (HOST, r.StartGame(None)),
        (HOST, r.StartDeal()),
        (1, r.BuildCards(parse_card("5c"), 9, (parse_card("4h"),), None)),
        (0, r.TrailCard(parse_card("3c"))),
        (1, r.CaptureCards(parse_card("9d"), (), ("b1",))),
        (0, r.TrailCard(parse_card("6d"))),
    ),
    (
        r.TrailCard(parse_card("Kc")),
        r.CaptureCards(parse_card("Th"), (), ("b1",)),
        r.CaptureCards(parse_card("2s"), (parse_card("As"),), ()),
    ),
    "p0",
)


async def seated(teacher: Client, who: dict[str, Client], pair: Pair) -> str:
    options = lab.OpenLabTableRequest(request_id="t", game=pair.game, options=pair.options)
    table = str((await teacher.call(teacher.lab.OpenLabTable, options)).table_id)
    for seat, name in enumerate(PLAYERS[: pair.seats]):
        await who[name].act(table, seat, TakeSeat("", 500), request_id=f"{name} sits")
    return table


async def heard(dsn: str, pair: Pair, viewer: str, cards: Sequence[int]) -> Told:
    """Everything that a viewer is told, step by step, refused and looking back."""
    world = SteppedWorld(seed=b"twice")
    async with running(dsn, world=world, identities=MemoryIdentityMap(world)) as service:
        teacher = service.lab()
        who = {name: service.client(name, issuer=LAB_ISSUER) for name in (*PLAYERS, "eve")}
        for client in who.values():  # met in the same order, so they have the same ids
            await client.call(client.tables.ListTables, pb.ListTablesRequest())
        table = await seated(teacher, who, pair)
        stack = lab.StackDeckRequest(request_id="deck", table_id=table, cards=cards)
        await teacher.call(teacher.lab.StackDeck, stack)
        told: Told = []

        def keep(surface: str, message: Any) -> None:
            told.append((surface, message.SerializeToString(deterministic=True)))

        for number, (actor, action) in enumerate(pair.steps):
            if actor == HOST:
                await teacher.lab_act(table, HOST, action)
            else:
                player = who[PLAYERS[actor]]
                state = (await player.get(table)).state
                answer = await player.act(table, actor, action, state, request_id=f"step {number}")
                if player is who[viewer]:
                    keep("answer", answer)
            keep("GetTable", await who[viewer].get(table))
        if viewer in PLAYERS:
            told += await refused(who[viewer], pair, table, PLAYERS.index(viewer))
        for surface, messages in (await everything(who[viewer], table)).items():
            for message in messages:
                keep(surface, message)
        return told


async def refused(client: Client, pair: Pair, table: str, seat: int) -> Told:
    state = (await client.get(table)).state
    told: Told = []
    for number, action in enumerate(pair.tries):
        call = client.act(table, seat, action, state, request_id=f"try {number}")
        failure = await failing(call)
        told.append(("refusal", repr((str(failure), sorted(failure.metadata.items()))).encode()))
    return told


@pytest.mark.parametrize("pair", [PONTOON, CASINO], ids=["pontoon", "royal_casino"])
@pytest.mark.parametrize("looks_on", [True, False], ids=["onlooker", "player"])
def test_unseen_cards_change_no_byte(dsn, other_dsn, pair, looks_on):
    """4.3, 4.5: hands, what was bought, the pack that goes on, losing hands put under it."""
    viewer = "eve" if looks_on else pair.player
    one = run(heard(dsn, pair, viewer, pair.decks[0]))
    other = run(heard(other_dsn, pair, viewer, pair.decks[1]))
    assert [surface for surface, _ in one] == [surface for surface, _ in other]
    for (surface, left), (_, right) in zip(one, other, strict=True):
        assert left == right, surface
    assert {surface for surface, _ in one} >= {"GetTable", "WatchTable", "Play", "ReplayHand"}


def test_the_comparison_sees_what_a_player_sees(dsn, other_dsn):
    """The same decks, before the eyes of who holds the cards that differ."""
    decks = CASINO.decks
    assert run(heard(dsn, CASINO, "p1", decks[0])) != run(heard(other_dsn, CASINO, "p1", decks[1]))
