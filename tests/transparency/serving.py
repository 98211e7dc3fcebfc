"""Services that sign, and what they say of their log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc

from service.pb import audit_service_pb2 as pb
from service.store.log_keys import LogKeyUse, log_key_use, take_log_key
from service.transparency.checkpoint import Checkpoint
from service.transparency.notes import SignerKey
from service.transparency.signer import Signing
from tests.service.harness import Client, Running, failing, running
from tests.transparency.growing import KEY


@asynccontextmanager
async def signing(dsn: str, folder: Path, key: SignerKey = KEY) -> AsyncGenerator[Running, None]:
    """A service that signs its log every second."""
    async with running(dsn, signing=Signing(key, folder)) as service:
        pool = service.store.pool
        if (await log_key_use(pool)).key is None:
            await take_log_key(pool, LogKeyUse(0, None), key.verifier.told())
        yield service


async def checkpoint(client: Client, least: int = 0) -> Checkpoint:
    """The oldest checkpoint that covers so many commits, as soon as there is one."""
    request = pb.GetCheckpointRequest(least_size=least)
    async with asyncio.timeout(60):
        while True:
            try:
                told = (await client.call(client.audits.GetCheckpoint, request)).checkpoint
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.NOT_FOUND:
                    raise
                await asyncio.sleep(0.05)
                continue
            opened = Checkpoint.opened(told.note, KEY.verifier)
            assert (told.tree_size, told.root) == (opened.size, opened.root)
            assert told.HasField("sign_time")
            return opened


async def covered(service: Running, client: Client) -> Checkpoint:
    """A checkpoint of everything that is stored now; nobody waits for the second to be over."""
    head, signer = await service.store.position(), service.server.signer
    assert signer is not None
    async with asyncio.timeout(60):
        while signer.records.size < head:
            await signer.look()
            await asyncio.sleep(0.02)
    return await checkpoint(client, head)


async def inclusion(client: Client, **which: object) -> pb.GetInclusionProofResponse:
    request = pb.GetInclusionProofRequest(**which)  # type: ignore[arg-type]
    answer: pb.GetInclusionProofResponse = await client.call(
        client.audits.GetInclusionProof, request
    )
    return answer


async def consistency(client: Client, old: int, size: int = 0) -> pb.GetConsistencyProofResponse:
    request = pb.GetConsistencyProofRequest(old_size=old, tree_size=size)
    answer: pb.GetConsistencyProofResponse = await client.call(
        client.audits.GetConsistencyProof, request
    )
    return answer


async def refused(call: object) -> tuple[str, str]:
    """Reason and field of a call that must fail."""
    failure = await failing(call)  # type: ignore[arg-type]
    return failure.reason, failure.field
