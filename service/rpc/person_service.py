"""PersonService: names and contacts of persons, and their end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import structlog

from engine.errors import Malformed, Refused, Unknown
from engine.tournament.state import Phase
from service.host.accounts import Accounts
from service.identity import Principal, RememberedIdentities, Role
from service.pb import person_service_pb2 as pb
from service.pb.person_service_pb2_grpc import PersonServiceServicer
from service.people.texts import MOST_CONTACT, MOST_NAME, checked
from service.projections.hand_index import Hands
from service.rpc.calls import Calls
from service.rpc.persons import player_of, require_ordinary
from service.store.people import KEY_BYTES, People, Person
from service.store.tournament_index import TournamentIndex
from service.tournaments.calls import TournamentCalls
from service.world import World

__all__ = ["Persons"]

log = structlog.get_logger(__name__)

MOST_NAMES: Final = 200
MOST_TOURNAMENTS: Final = 100_000
_OPEN: Final = (Phase.REGISTERING, Phase.RUNNING)


class Persons(PersonServiceServicer):
    """The servicer."""

    def __init__(
        self,
        calls: Calls,
        world: World,
        people: People,
        accounts: Accounts,
        hands: Hands,
        identities: RememberedIdentities,
        tournaments: TournamentCalls,
        index: TournamentIndex,
    ) -> None:
        self._calls = calls
        self._world = world
        self._people = people
        self._accounts = accounts
        self._hands = hands
        self._identities = identities
        self._tournaments = tournaments
        self._index = index

    async def _player(self, caller: Principal, person: pb.Person) -> UUID:
        """Whom a profile is of; others than the caller are for admins."""
        caller.require_unlimited()
        require_ordinary(caller)
        player = await player_of(self._people, caller, person, "person")
        if player != caller.id:
            caller.require(Role.ADMIN)
        return player

    async def GetProfile(
        self, request: pb.GetProfileRequest, context: Any
    ) -> pb.GetProfileResponse:
        async def work(caller: Principal) -> pb.GetProfileResponse:
            player = await self._player(caller, request.person)
            person = await self._people.get(player)
            if person is None:
                raise Unknown("no such player")
            return pb.GetProfileResponse(profile=_profile(player, person))

        return await self._calls.unary(context, work)

    async def SetProfile(
        self, request: pb.SetProfileRequest, context: Any
    ) -> pb.SetProfileResponse:
        async def work(caller: Principal) -> pb.SetProfileResponse:
            player = await self._player(caller, request.person)
            person = Person(
                checked("name", request.name, MOST_NAME),
                checked("contact", request.contact, MOST_CONTACT),
            )
            if not await self._people.set(player, person, self._world.entropy(KEY_BYTES)):
                raise Unknown("no such player")
            return pb.SetProfileResponse(profile=_profile(player, person))

        return await self._calls.unary(context, work)

    async def ListNames(self, request: pb.ListNamesRequest, context: Any) -> pb.ListNamesResponse:
        async def work(caller: Principal) -> pb.ListNamesResponse:
            require_ordinary(caller)
            players = _ids(request.players)
            names = await self._people.names(players)
            return pb.ListNamesResponse(
                names=[
                    pb.PlayerName(player=str(player), name=names[player])
                    for player in players
                    if player in names
                ]
            )

        return await self._calls.unary(context, work)

    async def ErasePerson(
        self, request: pb.ErasePersonRequest, context: Any
    ) -> pb.ErasePersonResponse:
        async def work(caller: Principal) -> pb.ErasePersonResponse:
            caller.require(Role.ADMIN)
            if request.person.WhichOneof("who") is None:
                raise Malformed("person", "expected whom to erase")
            player = await self._player(caller, request.person)
            if await self._people.get(player) is None:
                raise Unknown("no such player")
            if not request.force:
                await self._require_up(player)
            # After that: what leaving a table pays out is on the account by now.
            balance = (await self._accounts.balance(player)).balance
            if balance and not request.force:
                raise Refused("STILL_HAS_CHIPS", balance=balance)
            await self._people.erase(player)
            self._identities.forget(player)
            log.info("person_erased", player=str(player))
            return pb.ErasePersonResponse(player=str(player), balance=balance)

        return await self._calls.unary(context, work)

    async def _require_up(self, player: UUID) -> None:
        """Raises ``Refused`` while he sits at a table, or is in a tournament, as its list has it.

        From there nobody could pay him any more.
        """
        await self._hands.catch_up()  # a seat that he has just taken counts
        tables = await self._people.tables_of(player)
        if tables:
            raise Refused("STILL_SEATED", tables=tables)
        rows = await self._index.page(limit=MOST_TOURNAMENTS, phases=_OPEN)
        entered = await self._tournaments.entered(player, [row.stream for row in rows])
        if entered:
            raise Refused("STILL_ENTERED", tournaments=entered)


def _profile(player: UUID, person: Person) -> pb.Profile:
    return pb.Profile(player=str(player), **person._asdict())


def _ids(texts: Sequence[str]) -> list[UUID]:
    if len(texts) > MOST_NAMES:
        raise Malformed("players", f"expected at most {MOST_NAMES}, not {len(texts)}")
    try:
        return [UUID(text) for text in texts]
    except ValueError:
        raise Malformed("players", "expected ids of players") from None
