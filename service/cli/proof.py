"""``kartejo proof``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.loop import run_async
from service.cli.options import Address, AsJson, Certificate, Data, TokenFile, Where

if TYPE_CHECKING:
    from service.pb import common_pb2
    from service.pb import replay_service_pb2 as pb

__all__ = ["command"]


def command(
    table: Annotated[str, typer.Argument(help="The table's id; `kartejo tables` lists them.")],
    hand: Annotated[int, typer.Argument(help="A hand in which you saw the card.")],
    card: Annotated[
        str | None, typer.Argument(help="The card, such as Qd or Ts; none: every card you saw.")
    ] = None,
    viewer: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="VIEWER",
            help='Whose eyes: self, "seat N", observer or auditor. Seats and auditor need the role '
            "auditor.",
        ),
    ] = "self",
    as_json: AsJson = False,
    address: Address = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    data: Data = None,
) -> None:
    """Prove where a card, or each one you saw, lay when the pack was shuffled, and check it.

    Before the first card of a shuffle is seen the service publishes a root over all its places
    (ShuffleCommitted). Once the epoch of the hand is over, whoever saw a card gets what leads from
    it to that root; nothing is told of the other cards. The proof is checked here, and against the
    root that the table's history tells.

    Examples
      kartejo proof 5e1d… 3 Qd
      kartejo proof 5e1d… 3                  every card that you saw
      kartejo proof 5e1d… 3 Qd --json > proof.json; node clients/verifier/verify.mjs proof.json
    """
    from engine.cards import card_name, parse_card
    from service.client.proofs import proof_json
    from service.client.records import parse_viewer

    try:
        number = parse_card(card) if card else 0
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="CARD") from None
    try:
        eyes = parse_viewer(viewer)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--as") from None
    where = Where(address, token_file, certificate, data)
    proofs = run_async(_ask(where, table, hand, number, eyes))
    if as_json:
        from service.cli.console import print_json

        print_json([proof_json(table, proof) for proof in proofs])
        return
    if not proofs:
        typer.echo("you saw no card of this hand: there is nothing to prove")
    for proof in proofs:
        name = card_name(proof.card)
        typer.echo(
            f"{name} lay at place {proof.place + 1} of {proof.count} after shuffle {proof.shuffle} "
            f"({proof.purpose}) of epoch {proof.epoch}; its root was told at version "
            f"{proof.version}: {proof.root.hex()}"
        )


async def _ask(
    where: Where, table: str, hand: int, card: int, eyes: common_pb2.Viewer
) -> list[pb.CardProof]:
    """The proofs, each checked, and compared with its root in the table's history."""
    from service.cli.failures import CommandError
    from service.client.proofs import card_proofs, holds, root_told

    async with where.client() as client:
        proofs = await card_proofs(client, table, hand, card, eyes)
        told: dict[int, bytes] = {}
        for proof in proofs:
            if proof.version not in told:
                told[proof.version] = await root_told(client, table, proof)
            if told[proof.version] != proof.root or not holds(table, proof):
                raise CommandError(
                    "PROOF_FAILS",
                    f"shuffle {proof.shuffle} of epoch {proof.epoch} was committed to otherwise",
                    "keep the output of this command with --json, and ask for an audit",
                )
    return proofs
