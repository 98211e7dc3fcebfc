"""Hands and pairs are found by what was won and lost, of every game, to the chip."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any
from uuid import uuid4

import grpc

from service.identity import LAB_ISSUER, Role
from service.pb import investigation_service_pb2 as pb
from tests.investigation.gathering import (
    EVENING,
    Party,
    id_of,
    indexed,
    nets_of,
    tables_by_game,
    won_at,
)
from tests.service.harness import Client, Running, failing, run, running
from tests.service.parlour_room import lab_parlour, lab_start

Code = grpc.StatusCode


async def found(auditor: Client, **fields: Any) -> Any:
    return await auditor.call(auditor.investigations.FindHands, pb.FindHandsRequest(**fields))


async def pair(auditor: Client, player: str, other: str, **fields: Any) -> Any:
    request = pb.GetPairRequest(player={"player": player}, other={"player": other}, **fields)
    return await auditor.call(auditor.investigations.GetPair, request)


async def ranked(auditor: Client, **fields: Any) -> Any:
    return await auditor.call(auditor.investigations.RankPairs, pb.RankPairsRequest(**fields))


async def known(service: Running) -> tuple[Client, dict[str, str], dict[str, str]]:
    """An auditor of the evening, its tables by game, its players' ids by name."""
    tables = await tables_by_game(service.client("ann"))
    ids = {name: await id_of(service.client(name)) for name in ("ann", "bob", "cid", "dan")}
    return service.client("carl", Role.AUDITOR), tables, ids


def test_what_is_found_adds_up_to_the_stacks_in_every_game(evening_dsn: str) -> None:
    """Results are what the stacks became, and what pairs moved adds up to the results."""

    async def scenario() -> None:
        async with running(evening_dsn) as service:
            auditor, tables, ids = await known(service)
            total: Counter[str] = Counter()
            for game, table in tables.items():
                hands = (await found(auditor, table_id=table)).hands
                assert {hand.game for hand in hands} == {game}
                assert [hand.hand for hand in hands] == list(range(EVENING[game][1], 0, -1))
                assert all(hand.over for hand in hands)
                nets = nets_of(hands)
                assert nets == Counter(await won_at(service.client("ann"), table)), game
                total.update(nets)
                for hand in hands:
                    moved: Counter[str] = Counter()
                    for transfer in hand.transfers:
                        assert transfer.chips > 0
                        moved[transfer.payee] += transfer.chips
                        moved[transfer.payer] -= transfer.chips
                    assert moved == Counter({each.player: each.net for each in hand.results})
            assert any(total.values())
            pairs: Counter[str] = Counter()
            for one, other in combinations(ids.values(), 2):
                for each in (await pair(auditor, one, other)).games:
                    pairs[one] += each.won - each.lost
                    pairs[other] -= each.won - each.lost
            assert pairs == total
            solitaire = (await found(auditor, game="royal_flush")).hands
            assert [(len(hand.results), len(hand.transfers)) for hand in solitaire] == [(1, 0)]

    run(scenario())


def test_hands_by_player_company_table_game_time_and_amount(evening_dsn: str) -> None:
    async def scenario() -> None:
        async with running(evening_dsn) as service:
            auditor, tables, ids = await known(service)
            everything = list((await found(auditor, page_size=200)).hands)
            assert len(everything) == 4 + 4 + 2 + 1
            begun = [hand.start_time.ToMicroseconds() for hand in everything]
            assert begun == sorted(begun, reverse=True)

            def played(hand: Any, *names: str) -> bool:
                return {ids[name] for name in names} <= {each.player for each in hand.results}

            async def check(expected: Any, **fields: Any) -> None:
                answer = await found(auditor, page_size=200, **fields)
                assert list(answer.hands) == [hand for hand in everything if expected(hand)]
                assert answer.commits_behind == 0

            ann, bob = ({"player": ids[name]} for name in ("ann", "bob"))
            await check(lambda hand: played(hand, "ann"), player=ann)
            await check(lambda hand: played(hand, "ann", "bob"), player=ann, other=bob)
            await check(lambda hand: hand.table_id == tables["pontoon"], table_id=tables["pontoon"])
            await check(lambda hand: hand.game == "pontoon", game="pontoon")
            await check(
                lambda hand: played(hand, "bob") and hand.table_id == tables["pontoon"],
                player=bob,
                table_id=tables["pontoon"],
            )
            middle = everything[5].start_time
            at = middle.ToMicroseconds()
            await check(lambda hand: hand.start_time.ToMicroseconds() >= at, since=middle)
            await check(lambda hand: hand.start_time.ToMicroseconds() < at, until=middle)
            await check(
                lambda hand: played(hand, "bob") and hand.start_time.ToMicroseconds() >= at,
                player=bob,
                since=middle,
            )
            amounts = sorted({abs(each.net) for hand in everything for each in hand.results})
            for least in (amounts[1], amounts[len(amounts) // 2], amounts[-1], amounts[-1] + 1):
                await check(
                    lambda hand, n=least: any(abs(each.net) >= n for each in hand.results),
                    least_chips=least,
                )
                await check(
                    lambda hand, n=least: any(
                        each.player == ids["bob"] and abs(each.net) >= n for each in hand.results
                    ),
                    player=bob,
                    least_chips=least,
                )
                await check(
                    lambda hand, n=least: any(
                        {each.payer, each.payee} == {ids["ann"], ids["bob"]} and each.chips >= n
                        for each in hand.transfers
                    ),
                    player=ann,
                    other=bob,
                    least_chips=least,
                )

    run(scenario())


def test_pages_hold_each_hand_once_and_tokens_fit_their_question(evening_dsn: str) -> None:
    async def scenario() -> None:
        async with running(evening_dsn) as service:
            auditor, _, ids = await known(service)
            for wanted in ({}, {"player": {"player": ids["bob"]}}, {"least_chips": 1}):
                whole = list((await found(auditor, page_size=200, **wanted)).hands)
                pages: list[Any] = []
                token = ""
                while True:
                    page = await found(auditor, page_size=2, page_token=token, **wanted)
                    pages += page.hands
                    assert len(page.hands) == 2 or not page.next_page_token
                    token = page.next_page_token
                    if not token:
                        break
                assert pages == whole
            first = await found(auditor, page_size=2)
            foreign = found(auditor, page_token=first.next_page_token, game="pontoon")
            assert (await failing(foreign)).field == "page_token"

    run(scenario())


def test_a_game_that_there_is_not(evening_dsn: str) -> None:
    """What no database takes was told as damaged data, and woke the operator."""

    async def scenario() -> None:
        async with running(evening_dsn) as service:
            auditor, _, _ = await known(service)
            for game in ("whist", "\0", "x" * 10_000):
                for call in (found(auditor, game=game), ranked(auditor, game=game)):
                    assert (await failing(call)).code is grpc.StatusCode.NOT_FOUND

    run(scenario())


def test_pairs_of_a_time_and_a_game(evening_dsn: str) -> None:
    """Days bound what is summed; a game's pairs are its own; a player's are told with places."""

    async def scenario() -> None:
        async with running(evening_dsn) as service:
            auditor, _, ids = await known(service)
            answer = await pair(auditor, ids["bob"], ids["cid"])
            assert [each.game for each in answer.games] == ["palace_poker", "pontoon"]
            assert all(each.hands == 4 for each in answer.games)
            back = await pair(auditor, ids["cid"], ids["bob"])
            assert [(each.won, each.lost) for each in back.games] == [
                (each.lost, each.won) for each in answer.games
            ]
            today = {"first": "2000-01-01", "last": "9999-12-31"}
            assert (await pair(auditor, ids["bob"], ids["cid"], days=today)) == answer
            past = {"first": "2000-01-01", "last": "2000-12-31"}
            assert not (await pair(auditor, ids["bob"], ids["cid"], days=past)).games
            assert not (await pair(auditor, ids["ann"], str(uuid4()))).games
            ranking = await ranked(auditor, least_hands=1)
            assert ranking.judged == len(ranking.pairs) == 5  # ann and dan never met
            assert [each.place for each in ranking.pairs] == [1, 2, 3, 4, 5]
            scores = [each.score for each in ranking.pairs]
            assert scores == sorted(scores, reverse=True)
            for each in ranking.pairs:
                sums = (await pair(auditor, each.winner, each.loser)).games
                assert each.won == sum(one.won for one in sums) >= each.lost
                assert each.lost == sum(one.lost for one in sums)
                assert each.hands == sum(one.hands for one in sums)
            dan = await ranked(auditor, least_hands=1, player={"player": ids["dan"]})
            assert dan.judged == 5
            assert list(dan.pairs) == [
                each for each in ranking.pairs if ids["dan"] in {each.winner, each.loser}
            ]
            assert (await ranked(auditor, least_hands=1, limit=2)).pairs == ranking.pairs[:2]
            assert (await ranked(auditor, least_hands=1, game="pontoon")).judged == 3
            assert (await ranked(auditor)).judged == 0
            assert (await ranked(auditor, least_hands=1, days=past)).judged == 0

    run(scenario())


def test_investigations_are_for_auditors_and_admins(dsn: str) -> None:
    """Whom a subject stands for is told to admins alone; nothing is made of an unknown one."""

    async def scenario() -> None:
        async with running(dsn) as service:
            ann = await id_of(service.client("ann"))
            auditor = service.client("carl", Role.AUDITOR)
            admin = service.client("root", Role.ADMIN)
            for roles in ((Role.PLAYER,), (Role.HOST,)):
                caller = service.client("eve", *roles)
                for call in (found(caller), pair(caller, ann, ann), ranked(caller)):
                    assert (await failing(call)).code is Code.PERMISSION_DENIED
            teacher = service.client("teacher", Role.ADMIN, issuer=LAB_ISSUER)
            assert (await failing(found(teacher))).code is Code.PERMISSION_DENIED
            by_name = {"player": {"subject": "ann"}}
            assert (await failing(found(auditor, **by_name))).code is Code.PERMISSION_DENIED
            assert not (await found(admin, **by_name)).hands
            assert not (await found(auditor)).hands
            unknown = await failing(found(admin, player={"subject": "nobody yet"}))
            assert unknown.code is Code.NOT_FOUND
            again = await failing(found(admin, player={"subject": "nobody yet"}))
            assert again.code is Code.NOT_FOUND

    run(scenario())


def test_questions_that_make_no_sense(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            auditor = service.client("carl", Role.AUDITOR)
            one = {"player": {"player": str(uuid4())}}
            for call, field in (
                (found(auditor, other=one["player"]), "player"),
                (found(auditor, player=one["player"], other=one["player"]), "other"),
                (found(auditor, least_chips=-1), "least_chips"),
                (found(auditor, page_size=201), "page_size"),
                (found(auditor, since={"seconds": -1}), "since"),
                (found(auditor, until={"seconds": 2**40}), "until"),
                (found(auditor, page_token="!"), "page_token"),
                (auditor.call(auditor.investigations.GetPair, pb.GetPairRequest(**one)), "other"),
                (ranked(auditor, days={"first": "2026-02-30"}), "days.first"),
                (ranked(auditor, days={"last": "26-2-3"}), "days.last"),
                (ranked(auditor, days={"first": "2026-02-03", "last": "2026-02-02"}), "days.last"),
                (ranked(auditor, least_hands=-1), "least_hands"),
                (ranked(auditor, limit=1001), "limit"),
            ):
                failure = await failing(call)
                assert (failure.code, failure.field) == (Code.INVALID_ARGUMENT, field)
            bad = await failing(found(auditor, player={"player": "no id"}))
            assert bad.code is Code.NOT_FOUND

    run(scenario())


def test_the_laboratory_and_running_hands(dsn: str) -> None:
    """A lab table leaves nothing to find; a hand that runs is found, without a result yet."""

    async def scenario() -> None:
        async with running(dsn) as service:
            teacher, room = await lab_parlour(service, range(1, 20))
            await lab_start(teacher, room)
            party = await Party.open(service, "palace_poker", ("ann", "bob", "cid"))
            await party.players[0].start(party.id)
            await indexed(service)
            (hand,) = (await found(service.client("carl", Role.AUDITOR))).hands
            assert (hand.table_id, hand.hand, hand.over) == (party.id, 1, False)
            assert [each.net for each in hand.results] == [0, 0, 0]
            assert not hand.transfers

    run(scenario())
