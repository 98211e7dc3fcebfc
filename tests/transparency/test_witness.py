"""A witness believes one history, keeps what contradicts it, and vouches for nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.actions import AddChips
from engine.errors import Corrupt, Unavailable, Unknown
from service.cli.app import app
from service.transparency.checkpoint import Checkpoint
from service.transparency.merkle import BadProof, verify_consistency
from service.transparency.notes import BadNote, Note, SignerKey, VerifierKey
from service.transparency.witness import BrokenState, Refusal, Witness
from service.vault.secret_file import KeyFileError
from service.world import SteppedWorld
from tests.commands import environment, quick
from tests.service.harness import Running, run
from tests.service.parlour_room import Room
from tests.transparency.growing import KEY, secrets_in
from tests.transparency.naive import mth, subproof
from tests.transparency.serving import covered, signing

LEAVES = [bytes([number]) * 32 for number in range(20)]
OTHERS = [*LEAVES[:5], bytes(32), *LEAVES[6:]]
NAME = "witness.example/w1"


class Said:
    """A source that says what it is told to."""

    def __init__(self, leaves: Sequence[bytes], size: int, key: SignerKey = KEY) -> None:
        self.note = Checkpoint(KEY.verifier.name, size, mth(leaves[:size])).signed(key)
        self.leaves = leaves
        self.error: Exception | None = None
        self.missing: Exception | None = None

    async def checkpoint(self) -> str:
        if self.missing is not None:
            raise self.missing
        return self.note

    async def consistency(self, old: int, size: int) -> Sequence[bytes]:
        if self.error is not None:
            raise self.error
        return subproof(old, self.leaves[:size])


def witness(folder: Path, cosigner: str | None = None) -> Witness:
    """One that has just been started."""
    return Witness(SteppedWorld(), folder, KEY.verifier, cosigner)


def evidence(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted((folder / "evidence").glob("*.json"))]


def test_it_believes_what_follows_and_goes_on_where_it_was(tmp_path: Path) -> None:
    async def scenario() -> None:
        folder = tmp_path / "w"
        assert Witness.key_in(folder) is None
        for size, grown in ((3, 3), (3, 0), (4, 1), (20, 16), (20, 0)):
            found = await witness(folder).look(Said(LEAVES, size))
            assert (found.checkpoint.size, found.grown) == (size, grown)
            assert (folder / "checkpoint").read_text() == found.note == Said(LEAVES, size).note
            assert Witness.key_in(folder) == KEY.verifier
        assert not (folder / "evidence").exists()
        assert sorted(path.name for path in folder.iterdir()) == ["checkpoint", "seen.json"]

    run(scenario())


def test_it_refuses_every_other_history_and_keeps_the_evidence(tmp_path: Path) -> None:
    stranger = SignerKey(KEY.verifier.name, bytes(32))
    shut = Said(LEAVES, 9)
    shut.error = Corrupt("tiles are missing")
    silent = Said(LEAVES, 9)
    silent.missing = Unknown("there is no checkpoint")
    cases = {
        "FALSE_NOTE": Said(LEAVES, 9, stranger),
        "SMALLER_TREE": Said(LEAVES, 7),
        "FORKED": Said(OTHERS, 8),
        "INCONSISTENT": Said(OTHERS, 9),
        "NO_PROOF": shut,
    }

    async def scenario() -> None:
        for reason, said in [*cases.items(), ("SMALLER_TREE", silent)]:
            folder = tmp_path / f"{reason} {said.missing}"
            await witness(folder, NAME).look(Said(LEAVES, 8))
            kept = {path: path.read_bytes() for path in folder.iterdir()}
            for number in range(2):
                with pytest.raises(Refusal) as caught:
                    await witness(folder, NAME).look(said)
                assert caught.value.reason == reason
                assert caught.value.evidence.parent == folder / "evidence"
                assert len(evidence(folder)) == 1, number  # the same moment, the same file
            assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == kept
            (told,) = evidence(folder)
            assert told["reason"] == reason
            assert told["believed_note"] == Said(LEAVES, 8).note
            assert told["refused_note"] == (None if said.missing else said.note)
            assert VerifierKey.parse(told["key"]) == KEY.verifier
            # What was believed is still believed, and goes on.
            assert (await witness(folder).look(Said(LEAVES, 12))).grown == 4

    run(scenario())


def test_the_evidence_convicts_without_the_witness(tmp_path: Path) -> None:
    """Both notes are signed by the log, and the proof that it gave does not join them."""

    async def scenario() -> None:
        await witness(tmp_path / "w").look(Said(LEAVES, 8))
        with pytest.raises(Refusal):
            await witness(tmp_path / "w").look(Said(OTHERS, 13))

    run(scenario())
    (told,) = evidence(tmp_path / "w")
    old, new = (
        Checkpoint.opened(told[name], KEY.verifier) for name in ("believed_note", "refused_note")
    )
    proof = [bytes.fromhex(each) for each in told["proof"]]
    with pytest.raises(BadProof):
        verify_consistency(old.size, new.size, proof, old.root, new.root)


def test_what_cannot_be_asked_is_no_refusal(tmp_path: Path) -> None:
    async def scenario() -> None:
        said = Said(LEAVES, 9)
        said.missing = Unknown("there is no checkpoint")
        with pytest.raises(Unknown):
            await witness(tmp_path / "w").look(said)
        await witness(tmp_path / "w").look(Said(LEAVES, 8))
        said = Said(LEAVES, 9)
        said.error = Unavailable("away")
        with pytest.raises(Unavailable):
            await witness(tmp_path / "w").look(said)
        assert not (tmp_path / "w" / "evidence").exists()

    run(scenario())


def test_it_cosigns_what_it_believes_with_a_key_of_its_own(tmp_path: Path) -> None:
    async def scenario() -> None:
        folder = tmp_path / "w"
        for size in (8, 8, 12):
            one = witness(folder, NAME)
            said = Said(LEAVES, size)
            # Signatures of strangers are not passed on.
            note = Note.parse(said.note)
            said.note = note.signed(SignerKey("stranger", bytes(32)).sign(note.text)).told()
            found = await one.look(said)
            assert one.cosigner is not None
            cosigned = Note.parse((folder / "checkpoint").read_text())
            assert cosigned.told() == found.note
            assert len(cosigned.signatures) == 2
            assert one.cosigner.verify(cosigned) == SteppedWorld().now() // 1_000_000
            assert Checkpoint.opened(found.note, KEY.verifier).size == size
        assert (folder / "witness.key").stat().st_mode & 0o777 == 0o600
        with pytest.raises(BrokenState, match="not of the witness other"):
            witness(folder, "other")
        with pytest.raises(BadNote, match="no spaces"):
            witness(tmp_path / "v", "with space")
        with pytest.raises(BadNote, match="ASCII"):
            witness(tmp_path / "u", "ŭitneso")
        (folder / "witness.key").chmod(0o644)
        with pytest.raises(KeyFileError, match="others may use it"):
            witness(folder, NAME)

    run(scenario())


@pytest.mark.parametrize(
    "state", ["", "{", "[]", "{}", '{"key": 1, "note": 2}', '{"key": "a+b+c", "note": ""}']
)
def test_a_state_that_is_none_is_told(tmp_path: Path, state: str) -> None:
    (tmp_path / "seen.json").write_text(state)
    with pytest.raises(BrokenState, match="another folder"):
        witness(tmp_path)
    with pytest.raises(BrokenState):
        Witness.key_in(tmp_path)


def test_a_folder_is_about_one_log(tmp_path: Path) -> None:
    async def scenario() -> None:
        await witness(tmp_path / "w").look(Said(LEAVES, 8))
        other = SignerKey("other.example/log", bytes(32)).verifier
        with pytest.raises(BrokenState, match="use another folder"):
            Witness(SteppedWorld(), tmp_path / "w", other)

    run(scenario())


async def kartejo(service: Running, *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of ``kartejo witness`` against a service."""
    process = await asyncio.create_subprocess_exec(
        *quick(),
        "witness",
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={
            **environment(None),
            "KARTEJO_ADDRESS": service.address,
            "KARTEJO_TOKEN": service.token("wilma"),
        },
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    assert b"Traceback" not in err, err
    return process.returncode, out.decode(), err.decode()


def test_a_forked_log_is_found_by_the_command(dsn: str, other_dsn: str, tmp_path: Path) -> None:
    """Two databases, one key: whoever sees one of them is not to believe the other."""

    async def scenario() -> None:
        folder = str(tmp_path / "w")
        async with (
            signing(dsn, secrets_in(tmp_path / "one")) as here,
            signing(other_dsn, secrets_in(tmp_path / "two")) as there,
        ):
            code, out, err = await kartejo(here, folder, "--once")
            assert (code, out) == (1, "")
            assert "kartejo: NOT_FOUND" in err
            one, two = [await Room.open(service) for service in (here, there)]
            for chips in range(3):
                await two.host.act(two.table, 0, AddChips(chips + 1))
            await covered(here, one.host)
            await covered(there, two.host)
            code, out, err = await kartejo(here, folder, "--once", "--cosign", NAME, "--json")
            told = json.loads(out)
            assert (code, told["result"]) == (0, "believed")
            assert told["size"] == told["grown"] == await here.store.position()
            assert "compare it" in err
            assert KEY.verifier.told() in err
            # Where it looks again and again it ends there too.
            code, out, err = await kartejo(there, folder, "--json")
            told = json.loads(out)
            assert (code, told["reason"]) == (3, "INCONSISTENT")
            assert "show it to the operator" in err
            assert [each["reason"] for each in evidence(tmp_path / "w")] == ["INCONSISTENT"]
            # The right one is still believed.
            code, out, _ = await kartejo(here, folder, "--once")
            assert (code, "nothing new" in out) == (0, True)

    run(scenario(), 90)


def test_what_the_command_is_told_wrongly(dsn: str, tmp_path: Path) -> None:
    ended = CliRunner().invoke(app, ["witness", str(tmp_path / "w"), "--key", "a+b+c"])
    assert (ended.exit_code, "--key" in ended.output) == (2, True)

    async def scenario() -> None:
        async with signing(dsn, secrets_in(tmp_path / "one")) as service:
            room = await Room.open(service)
            await covered(service, room.host)
            other = SignerKey(KEY.verifier.name, bytes(32)).verifier.told()
            code, _, err = await kartejo(service, str(tmp_path / "w"), "--key", other, "--once")
            assert (code, "FALSE_NOTE" in err) == (3, True)

    run(scenario(), 90)
