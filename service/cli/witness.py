"""``kartejo witness``: follows the log of a service, and believes no second history."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from service.cli.loop import run_async
from service.cli.options import Address, AsJson, Certificate, Data, TokenFile, Where, a_path

if TYPE_CHECKING:
    from service.client import Client
    from service.transparency.notes import VerifierKey
    from service.transparency.witness import Believed, Refusal, Witness

__all__ = ["REFUSED", "command"]

REFUSED: Final = 3
"""The exit code where the log has contradicted itself."""


def command(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            parser=a_path,
            help="Where the witness remembers what it has seen; one folder for each log.",
        ),
    ],
    key: Annotated[
        str | None,
        typer.Option(
            metavar="NAME+ID+KEY",
            help="The log's verifier key, as its operator has published it. Default: the one in "
            "DIR; at the first look, the one that the service names, which is told.",
        ),
    ] = None,
    cosign: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Cosign what is believed, under this name (witness.example/w1), with a key that "
            "is made in DIR. The cosigned note is DIR/checkpoint.",
        ),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Look once and end.")] = False,
    every: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Between two looks.")
    ] = 10.0,
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Watch that a service tells everybody one and the same history.

    Every commit of a service is a leaf of one Merkle tree, whose root it signs as it grows. The
    witness fetches each signed checkpoint, verifies the signature, and has the service prove that
    what it signed before is still there, unaltered, as the beginning of the tree. Any token will
    do. Run it where the operator of the service has no say, with the key that he has published.

    What contradicts itself is refused: the two notes and the proof stay in DIR/evidence, and the
    command ends. Exit codes: 0 all is well, 1 it could not look, 2 wrong usage, 3 refused.

    Examples
      kartejo witness ~/kartejo-witness
      kartejo witness --once --json ~/kartejo-witness
      kartejo witness ~/cards --address https://cards.example:443 --token-file me.token
      kartejo witness ~/cards --key cards.example/log+530d903a+AekyeRrm5… --cosign me.example/w1
    """
    from service.transparency.notes import BadNote, VerifierKey

    try:
        verifier = None if key is None else VerifierKey.parse(key)
    except BadNote as error:
        raise typer.BadParameter(str(error), param_hint="--key") from None
    where = Where(address, token_file, certificate, data)
    refused = run_async(_follow(where, folder, verifier, cosign, 0.0 if once else every, as_json))
    if refused is not None:
        _tell_refusal(refused, as_json=as_json)
        raise typer.Exit(REFUSED)


async def _follow(
    where: Where,
    folder: Path,
    key: VerifierKey | None,
    cosign: str | None,
    every: float,
    as_json: bool,
) -> Refusal | None:
    """Look once, or again and again (``every`` so many seconds) until something is refused."""
    from engine.errors import Exhausted, Unavailable, Unknown
    from service.client.audits import LogSource
    from service.transparency.witness import Refusal, Witness
    from service.world import RealWorld

    world = RealWorld()
    async with where.client() as client:
        verifier = await _key(client, folder, key)
        witness = Witness(world, folder, verifier, cosign)
        _tell_keys(verifier, witness)
        while True:
            try:
                _tell(await witness.look(LogSource(client)), as_json=as_json, once=not every)
            except Refusal as refused:
                return refused
            except (Unavailable, Exhausted, Unknown) as error:
                if not every:
                    raise
                _say(f"{error.reason}: {error}; looking again")
            if not every:
                return None
            await world.sleep(every)


async def _key(client: Client, folder: Path, told: VerifierKey | None) -> VerifierKey:
    """The key to verify with: what was told, else what is known, else what the service says."""
    from service.client.audits import log_key
    from service.transparency.witness import Witness

    known = told or Witness.key_in(folder)
    if known is not None:
        return known
    found = await log_key(client)
    _say("the service names its own key: compare it with what its operator has published")
    return found


def _tell_keys(verifier: VerifierKey, witness: Witness) -> None:
    _say(f"log      {verifier.told()}")
    if witness.cosigner is not None:
        _say(f"witness  {witness.cosigner.told()}")


def _tell(believed: Believed, *, as_json: bool, once: bool) -> None:
    from service.cli.console import print_json
    from service.cli.words import counted

    new = believed.checkpoint
    if not (believed.grown or once):
        return
    if as_json:
        print_json(
            {
                "result": "believed",
                "origin": new.origin,
                "size": new.size,
                "root": new.root.hex(),
                "grown": believed.grown,
                "note": believed.note,
            }
        )
        return
    more = f"{counted(believed.grown, 'commit')} more" if believed.grown else "nothing new"
    print(f"{counted(new.size, 'commit')} ({more}), root {new.root.hex()}", flush=True)  # noqa: T201


def _tell_refusal(refused: Refusal, *, as_json: bool) -> None:
    from service.cli.console import print_json

    if as_json:
        told = {"result": "refused", "reason": refused.reason, "what": str(refused)}
        print_json({**told, "evidence": str(refused.evidence)})
    _say(f"kartejo: {refused.reason}: {refused}")
    _say(f"  next: keep {refused.evidence}, and show it to the operator and to other witnesses")


def _say(line: str) -> None:
    """On standard error: what is reported stands alone."""
    from service.cli.harmless import on_a_line

    print(on_a_line(line), file=sys.stderr, flush=True)  # noqa: T201
