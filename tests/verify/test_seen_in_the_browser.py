"""What a viewer saw, checked by the verifier that browsers run."""

from __future__ import annotations

import json
import random
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from psycopg.conninfo import make_conninfo

from engine.games import GAMES
from service.codec import Codec
from service.exports import SeenLines
from service.exports.seen import event_told
from service.pb import games_pb2
from service.pb import replay_service_pb2 as pb
from service.store.embedded import EmbeddedServer
from service.verify import verify
from tests.pg import TEMPLATE, create
from tests.service.harness import Client, run, running
from tests.service.played import seated
from tests.verify.javascript import verdicts
from tests.verify.test_damage import split

Lines = list[bytes]


async def seen(client: Client, table: str) -> Lines:
    lines = SeenLines(Codec(GAMES), (await client.get(table)).table, "self")
    request = pb.ReplayTableRequest(table_id=table)
    steps = client.replay.ReplayTable(request, metadata=client.metadata, timeout=30)
    found = [lines.first()]
    found += [lines.commit(step) async for step in steps]
    return [*found, lines.last()]


async def _made(dsn: str) -> list[Lines]:
    async with running(dsn) as service:
        found = []
        for game, reveal in (("palace_poker", "public"), ("royal_flush", "auditor")):
            played = await seated(service, game, {"reveal": reveal})
            await played.hands(1)
            found.append(await seen(played.players[0], played.table))
        return found


@pytest.fixture(scope="module")
def exports(pg: EmbeddedServer) -> Any:
    """Of a table whose secrets are told to everybody, and of one where only auditors are told."""
    create(pg, "exported_seen", TEMPLATE)
    dsn = make_conninfo(pg.conninfo, dbname="exported_seen", user="kartejo_service")
    return run(_made(dsn))


def states(verdict: dict[str, Any]) -> dict[str, str]:
    return {each["check"]: each["state"] for each in verdict["results"]}


def test_what_a_player_saw_holds_as_far_as_he_was_told(
    exports: list[Lines], tmp_path: Path
) -> None:
    """With the secret shuffles are checked too; without it, that is said."""
    public, kept = verdicts(tmp_path, [b"".join(lines) for lines in exports])
    assert public["ok"]
    assert kept["ok"]
    assert {each: states(public)[each] for each in ("lines", "note", "secrets", "shuffles")} == {
        "lines": "holds",
        "note": "holds",
        "secrets": "holds",
        "shuffles": "holds",
    }
    assert (states(kept)["secrets"], states(kept)["shuffles"]) == ("open", "open")


def test_every_flipped_bit_of_it_is_refused(exports: list[Lines], tmp_path: Path) -> None:
    whole = b"".join(exports[0])
    rng = random.Random(11)
    changed = []
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        changed.append(bytes(damaged))
    for damaged, verdict in zip(changed, verdicts(tmp_path, changed), strict=True):
        assert verdict["ok"] == verify(split(damaged)).ok is False


def forged(lines: Lines, word: str, change: Callable[[Any], None]) -> bytes:
    """The first event of a kind changed, its words and the digest at the end made to fit."""
    told = [json.loads(line) for line in lines]
    event = next(e for line in told[1:-1] for e in line["events"] if e["name"] == word)
    wire = games_pb2.Event.FromString(b64decode(event["wire"]))
    change(wire.house)
    event["wire"] = b64encode(wire.SerializeToString(deterministic=True)).decode()
    event["fields"] = event_told(wire)
    written = [json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in told[:-1]]
    end = {**told[-1], "sha256": sha256(b"".join(written)).hexdigest()}
    return b"".join(written) + json.dumps(end, separators=(",", ":")).encode() + b"\n"


def test_a_forged_secret_root_or_contribution_is_refused_though_all_else_fits(
    exports: list[Lines], tmp_path: Path
) -> None:
    """Here it sees more than our own check of such files, which looks for accidents."""

    def told(**fields: Any) -> Callable[[Any], None]:
        def change(house: Any) -> None:
            inner = getattr(house, house.WhichOneof("event"))
            for name, value in fields.items():
                setattr(inner, name, value)

        return change

    files = [
        forged(exports[0], "EpochClosed", told(secret=b"s" * 32)),
        forged(exports[0], "EpochOpened", told(commitment=b"c" * 32)),
        forged(exports[0], "ShuffleCommitted", told(root=b"r" * 32)),
        forged(exports[0], "EntropyContributed", told(value=b"not what was given")),
        forged(exports[1], "EntropyContributed", told(value=b"nor where no secret is told")),
    ]
    checks = []
    for file, verdict in zip(files, verdicts(tmp_path, files), strict=True):
        assert verify(split(file)).ok
        assert not verdict["ok"]
        checks.append(verdict["findings"][0]["check"])
    assert checks == ["secrets", "secrets", "shuffles", "entropy", "entropy"]


def contributed(lines: Lines) -> bytes:
    """What was added to the first epoch."""
    events = [event for line in lines[1:-1] for event in json.loads(line)["events"]]
    wire = next(each["wire"] for each in events if each["name"] == "EntropyContributed")
    return games_pb2.Event.FromString(b64decode(wire)).house.entropy_contributed.value


def test_what_one_added_is_found_in_the_record_or_missed(
    exports: list[Lines], tmp_path: Path
) -> None:
    """A service that leaves it out, or takes another value, is told so; the future is no matter."""
    given = contributed(exports[0])
    for mine, found in (
        ({1: given}, 1),
        ({1: given, 99: b"not yet"}, 1),
        ({1: b"something else"}, 0),
    ):
        (verdict,) = verdicts(tmp_path, [b"".join(exports[0])], mine)
        assert (verdict["ok"], verdict["mine"]) == (found == 1, found)
        assert states(verdict)["entropy"] == ("holds" if found else "broken")
