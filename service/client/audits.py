"""The transparency log of a service, as a client asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from service.client.connection import Client
from service.pb import audit_service_pb2 as pb
from service.transparency.notes import VerifierKey

__all__ = ["LogSource", "log_key"]


async def log_key(client: Client) -> VerifierKey:
    """The key that the service says it signs with; to be compared with what is published."""
    answer = await client.call(client.audits.GetLogKey, pb.GetLogKeyRequest())
    return VerifierKey.parse(answer.verifier_key)


class LogSource:
    """Where a witness looks: a service."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def checkpoint(self) -> str:
        """The newest signed note."""
        method = self._client.audits.GetCheckpoint
        return (await self._client.call(method, pb.GetCheckpointRequest())).checkpoint.note

    async def consistency(self, old: int, size: int) -> Sequence[bytes]:
        """The proof that the tree of ``old`` leaves begins the one of ``size``."""
        request = pb.GetConsistencyProofRequest(old_size=old, tree_size=size)
        answer = await self._client.call(self._client.audits.GetConsistencyProof, request)
        return answer.hashes
