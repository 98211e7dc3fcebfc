"""Signed notes, cosignatures and checkpoints: published examples, and everything that is none."""

from __future__ import annotations

import base64
import copy

import pytest

from service.transparency.checkpoint import Checkpoint
from service.transparency.notes import COSIGNATURE, BadNote, Note, SignerKey, VerifierKey
from service.world import SteppedWorld

# The example of Go's package golang.org/x/mod/sumdb/note.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETERS_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
SAID = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
SIGNED = (
    f"{SAID}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfq"
    "dngotpRZb6KE6RyyBwJnAM=\n"
)
# The example of c2sp.org/signed-note.
FOO = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
FOO_SIGNED = (
    "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONnc"
    "AlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
# A checkpoint that a public log signed, and several witnesses.
ARCHE = (
    "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
)
REMORA = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
WITNESSED = """arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3\
urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI7\
5MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
— transparency.dev/DEV:witness-little-garden 2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcq\
oXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk\
5XeU/zZ0WBxtqB0DrAWfBw==
"""
SEED = bytes(range(32))
LOG = SignerKey("kartejo.example/log", SEED)
CHECKPOINT = Checkpoint("kartejo.example/log", 3, bytes(range(32)))


def test_published_notes_verify_and_are_written_byte_for_byte() -> None:
    for key, signed in ((PETER, SIGNED), (FOO, FOO_SIGNED)):
        parsed = VerifierKey.parse(key)
        assert parsed.told() == key
        note = Note.parse(signed)
        assert parsed.verify(note) == 0
        assert note.told() == signed
    peter = SignerKey.parse(PETERS_SECRET)
    assert peter.secret() == PETERS_SECRET + "\n"
    assert peter.verifier.told() == PETER
    assert Note(SAID, (peter.sign(SAID),)).told() == SIGNED


def test_a_public_logs_checkpoint_and_its_witness() -> None:
    found = Checkpoint.opened(WITNESSED, VerifierKey.parse(ARCHE))
    assert (found.size, found.root.hex()[:8]) == (1432088532, "53b58cef")
    witness = VerifierKey.parse(REMORA)
    assert witness.verify(Note.parse(WITNESSED)) == 0x6A122120
    assert Note.parse(WITNESSED).told() == WITNESSED
    with pytest.raises(BadNote, match="a checkpoint of arche"):
        Checkpoint.opened(WITNESSED, witness)


def test_a_cosignature_is_of_its_time_and_of_its_text() -> None:
    witness = SignerKey("witness.example/w1", SEED, COSIGNATURE)
    note = Note.parse(CHECKPOINT.signed(LOG))
    twice = note.signed(
        witness.sign(note.text, 1_700_000_000), witness.sign(note.text, 1_800_000_000)
    )
    assert witness.verifier.verify(twice) == 1_800_000_000
    assert LOG.verifier.verify(twice) == 0
    signature = witness.sign(note.text, 1_700_000_000)
    for place in range(4, 4 + 8 + 64):
        content = bytearray(signature.content)
        content[place] ^= 1
        with pytest.raises(BadNote, match="false"):
            witness.verifier.verify(note.signed(signature._replace(content=bytes(content))))
    with pytest.raises(BadNote, match="false"):
        witness.verifier.verify(Note(note.text + "more\n", (signature,)))
    # The same secret under the other type has another id: one never passes for the other.
    other = SignerKey("witness.example/w1", SEED)
    with pytest.raises(BadNote, match="not signed by"):
        other.verifier.verify(note.signed(signature))


def test_a_note_with_any_byte_changed_is_not_believed() -> None:
    """Every bit of it, that is."""
    told = CHECKPOINT.signed(LOG).encode()
    changed = 0
    for place in range(len(told)):
        for bit in range(8):
            other = bytearray(told)
            other[place] ^= 1 << bit
            try:
                text = other.decode()
            except UnicodeDecodeError:
                continue
            with pytest.raises(BadNote):
                Checkpoint.opened(text, LOG.verifier)
            changed += 1
    assert changed > 1_000


def test_signatures_of_unknown_keys_are_passed_over_but_none_of_ours_may_be_false() -> None:
    stranger = SignerKey(LOG.verifier.name, bytes(32))
    note = Note.parse(CHECKPOINT.signed(LOG))
    assert Checkpoint.opened(note.signed(stranger.sign("x\n")).told(), LOG.verifier) == CHECKPOINT
    with pytest.raises(BadNote, match="false"):
        Checkpoint.opened(note.signed(LOG.sign("x\n")).told(), LOG.verifier)
    with pytest.raises(BadNote, match="not signed by"):
        Checkpoint.opened(note.told(), stranger.verifier)


@pytest.mark.parametrize(
    "told",
    [
        "",
        "\n",
        "text\n",
        "text\n\n",
        "text\n\n— a AAAAAAA=",
        "text\n\n- a AAAAAAA=\n",
        "text\n\n—a AAAAAAA=\n",
        "text\n\n— AAAAAAA=\n",
        "text\n\n—  AAAAAAA=\n",
        "text\n\n— a b AAAAAAA=\n",
        "text\n\n— a+b AAAAAAA=\n",
        "text\n\n— a AAAA\n",
        "text\n\n— a AAAAAA==\n",
        "text\n\n— a AAAAAAB=\n",
        "text\n\n— a AAAAAAA\n",
        "text\n\n— a AAAA-AA=\n",
        "te\txt\n\n— a AAAAAAA=\n",
        "te\rxt\n\n— a AAAAAAA=\n",
        "text\n\n— a AAAAAAA=\n— \n",
        "text\n\n" + "— a AAAAAAA=\n" * 65,
        "t" * 65_536 + "\n\n— a AAAAAAA=\n",
    ],
)
def test_what_is_no_note(told: str) -> None:
    with pytest.raises(BadNote):
        Note.parse(told)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PeterNeumann",
        PETER.replace("c74f20a3", "c74f20a4"),
        PETER.replace("c74f20a3", "C74F20A3"),
        PETER.replace("PeterNeumann", "PeterNewmann"),
        PETER.replace("PeterNeumann", "Peter Neumann"),
        PETER.replace("+ARpc", "+AhpC"),
        PETER[:-4],
        PETER + "AAAA",
        PETERS_SECRET,
    ],
)
def test_what_is_no_verifier_key(text: str) -> None:
    with pytest.raises(BadNote):
        VerifierKey.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        PETER,
        "PRIVATE+KEY+",
        PETERS_SECRET[:-8],
        PETERS_SECRET.replace("Peter", "Pete"),
        " x" + PETERS_SECRET,
    ],
)
def test_what_is_no_secret_key_is_not_repeated(text: str) -> None:
    with pytest.raises(BadNote) as caught:
        SignerKey.parse(text)
    assert "AYEKFALV" not in str(caught.value)


def test_a_secret_key_shows_itself_to_nobody() -> None:
    key = SignerKey.draw(SteppedWorld(), "kartejo.example/log")
    assert key.secret().split("+")[-1].strip() not in repr(key)
    with pytest.raises(TypeError):
        copy.copy(key)
    assert SignerKey.parse(key.secret()).verifier == key.verifier


@pytest.mark.parametrize(
    "text",
    [
        "",
        "log\n3\n",
        "\n3\n" + "A" * 43 + "=\n",
        "log\n03\n" + "A" * 43 + "=\n",
        "log\n-3\n" + "A" * 43 + "=\n",
        "log\n٣\n" + "A" * 43 + "=\n",
        f"log\n{2**63}\n" + "A" * 43 + "=\n",
        "log\n3\n" + "A" * 42 + "B=\n",
        "log\n3\n" + "A" * 42 + "=\n",
        "log\n3\n" + "A" * 43 + "=",
        "log\n3\n" + "A" * 43 + "=\nmore\n",
        "log\n3\n" + "A" * 43 + "=\n\n",
    ],
)
def test_what_is_no_checkpoint(text: str) -> None:
    with pytest.raises(BadNote):
        Checkpoint.parse(text)


def test_a_checkpoint_reads_as_it_is_written() -> None:
    for size in (0, 1, 2**63 - 1):
        checkpoint = CHECKPOINT._replace(size=size)
        assert Checkpoint.opened(checkpoint.signed(LOG), LOG.verifier) == checkpoint
    with pytest.raises(ValueError, match="32 bytes"):
        CHECKPOINT._replace(root=b"").text()
    assert base64.b64encode(CHECKPOINT.root).decode() in CHECKPOINT.text()
