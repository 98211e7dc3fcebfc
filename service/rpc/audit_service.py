"""AuditService: checkpoints of the transparency log, and proofs from its tree."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from engine.errors import Corrupt, Denied, Malformed, Unavailable, Unknown
from service.host.accounts import account_stream
from service.host.host import Host
from service.identity import Principal, Role
from service.pb import audit_service_pb2 as pb
from service.pb.audit_service_pb2_grpc import AuditServiceServicer
from service.rpc.calls import Calls
from service.rpc.messages import table_id, timestamp
from service.rpc.pages import page_size, page_token, place_of, read_token
from service.store import checkpoints
from service.store.checkpoints import Signed
from service.store.commit import Commit
from service.store.log_keys import log_key_use
from service.store.postgres import Store
from service.transparency.merkle import MOST_LEAVES
from service.transparency.notes import VerifierKey
from service.transparency.tiles import Tree

__all__ = ["Audits"]

MOST_HASHES: Final = 1_000
MOST_VERSION: Final = 2**31 - 1
QUESTION: Final = "checkpoints"
SOON_MS: Final = 2_000
"""When a checkpoint may cover what the newest does not cover yet."""


class Audits(AuditServiceServicer):
    """The servicer."""

    def __init__(self, calls: Calls, host: Host, store: Store) -> None:
        self._calls = calls
        self._host = host
        self._store = store
        self._tree = Tree(store.pool)

    async def GetLogKey(self, request: pb.GetLogKeyRequest, context: Any) -> pb.GetLogKeyResponse:
        async def work(_: Principal) -> pb.GetLogKeyResponse:
            use = await log_key_use(self._store.pool)
            if use.key is None:
                raise Unknown("this installation signs no checkpoints")
            key = VerifierKey.parse(use.key)
            return pb.GetLogKeyResponse(
                origin=key.name, public_key=key.public, verifier_key=use.key
            )

        return await self._calls.unary(context, work)

    async def GetCheckpoint(
        self, request: pb.GetCheckpointRequest, context: Any
    ) -> pb.GetCheckpointResponse:
        async def work(_: Principal) -> pb.GetCheckpointResponse:
            least = _number("least_size", request.least_size, 0, MOST_LEAVES)
            pool = self._store.pool
            found = await (checkpoints.covering(pool, least) if least else checkpoints.newest(pool))
            if found is None:
                raise Unknown("no checkpoint covers that yet")
            return pb.GetCheckpointResponse(checkpoint=_message(found))

        return await self._calls.unary(context, work)

    async def ListCheckpoints(
        self, request: pb.ListCheckpointsRequest, context: Any
    ) -> pb.ListCheckpointsResponse:
        async def work(_: Principal) -> pb.ListCheckpointsResponse:
            size = page_size(request.page_size)
            last = read_token(QUESTION, request.page_token)
            (before,) = (checkpoints.NEWEST,) if last is None else place_of(last, 18)
            found = await checkpoints.older(self._store.pool, before, size + 1)
            answer = pb.ListCheckpointsResponse(checkpoints=map(_message, found[:size]))
            if len(found) > size:
                answer.next_page_token = page_token(QUESTION, str(found[size - 1].number))
            return answer

        return await self._calls.unary(context, work)

    async def GetInclusionProof(
        self, request: pb.GetInclusionProofRequest, context: Any
    ) -> pb.GetInclusionProofResponse:
        async def work(caller: Principal) -> pb.GetInclusionProofResponse:
            if request.WhichOneof("which") == "commit":
                commit = await self._commit(caller, request.commit)
                index, size = commit.position - 1, await self._size(request.tree_size)
                if index >= size and not request.tree_size:
                    raise Unavailable("no checkpoint covers this commit yet", SOON_MS)
            elif request.WhichOneof("which") == "leaf_index":
                index, size = request.leaf_index, await self._size(request.tree_size)
            else:
                raise Malformed("which", "expected a leaf_index or a commit")
            if not 0 <= index < size:
                raise Malformed("which", f"the tree of {size} leaves has no leaf {index}")
            hashes = await self._tree.inclusion(index, size)
            leaf = await self._store.hashes(index, 1)
            if not leaf:
                raise Corrupt(f"position {index + 1} is missing from the log")
            return pb.GetInclusionProofResponse(
                leaf_index=index, commit_hash=leaf[0], tree_size=size, hashes=hashes
            )

        return await self._calls.unary(context, work)

    async def GetConsistencyProof(
        self, request: pb.GetConsistencyProofRequest, context: Any
    ) -> pb.GetConsistencyProofResponse:
        async def work(_: Principal) -> pb.GetConsistencyProofResponse:
            size = await self._size(request.tree_size)
            old = _number("old_size", request.old_size, 1, size)
            hashes = await self._tree.consistency(old, size)
            return pb.GetConsistencyProofResponse(tree_size=size, hashes=hashes)

        return await self._calls.unary(context, work)

    async def ListLeaves(
        self, request: pb.ListLeavesRequest, context: Any
    ) -> pb.ListLeavesResponse:
        async def work(caller: Principal) -> pb.ListLeavesResponse:
            caller.require(Role.AUDITOR, Role.ADMIN)
            caller.require_unlimited()
            first = _number("first_index", request.first_index, 0, MOST_LEAVES)
            most = _number("page_size", request.page_size, 0, MOST_HASHES)
            hashes = await self._store.hashes(first, most or MOST_HASHES)
            return pb.ListLeavesResponse(commit_hashes=hashes)

        return await self._calls.unary(context, work)

    async def _size(self, asked: int) -> int:
        """The size of the tree that is meant; raises ``Malformed`` where it is not so large."""
        if asked:
            return _number("tree_size", asked, 1, await self._tree.size())
        newest = await checkpoints.newest(self._store.pool)
        if newest is None:
            raise Unknown("there is no checkpoint yet")
        return newest.size

    async def _commit(self, caller: Principal, place: pb.CommitPlace) -> Commit:
        """The commit that brought a stream to a version, if the caller may know of it."""
        version = _number("commit.version", place.version, 1, MOST_VERSION)
        match place.WhichOneof("stream"):
            case "table_id":
                stream = table_id(place.table_id)
                await self._host.find_table(caller, stream)
            case "player":
                stream = account_stream(_owner(caller, place.player))
            case _:
                raise Malformed("commit.stream", "expected a table_id or a player")
        found = await self._store.read(stream, version - 1, 1)
        if not found:
            raise Unknown("the stream has no such version")
        return found[0]


def _owner(caller: Principal, text: str) -> UUID:
    """Whose account; raises ``Denied`` for one that is not the caller's to look at."""
    caller.require_unlimited()
    if caller.lab:
        raise Denied("the laboratory has no accounts")
    try:
        player = UUID(text)
    except ValueError:
        raise Unknown("no such player") from None
    if player != caller.id:
        caller.require(Role.AUDITOR, Role.ADMIN)
    return player


def _number(field: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise Malformed(field, f"expected {least} to {most}")
    return value


def _message(signed: Signed) -> pb.Checkpoint:
    at = signed.signed_at
    return pb.Checkpoint(
        number=signed.number,
        tree_size=signed.size,
        root=signed.root,
        note=signed.note,
        sign_time=timestamp(round(at.timestamp() * 1_000_000)) if at is not None else None,
    )
