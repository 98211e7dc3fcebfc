"""``kartejo serve``: one at a time on its data, found by the others, gone when it ends."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from psycopg.conninfo import make_conninfo

from service.cli.running import TO_TRY
from service.store.embedded import EmbeddedServer
from tests.cli.conftest import SECONDS, Background, Commands, Served
from tests.commands import environment, quick
from tests.pg import create

_numbers = count(1)


def test_what_it_says_when_it_is_ready(service: Served) -> None:
    told = service.told
    for name in ("admin_token", "lab_admin_token"):
        mode = stat.S_IMODE(Path(told[name]).stat().st_mode)
        assert mode == 0o600
    assert told["lab"] is True
    assert told["process"] == service.process.pid


def test_a_second_one_on_the_same_data_says_so(service: Served, kartejo: Commands) -> None:
    reason, told = kartejo.fails("serve", "--temporary-data", "--listen", "127.0.0.1:0")
    assert reason == "ALREADY_RUNNING"
    assert "kartejo tables" in told


def test_data_is_not_kept_where_the_machine_empties_by_itself(alone: Commands) -> None:
    assert alone.fails("serve")[0] == "TEMPORARY_DATA"


def test_addresses_that_cannot_be(service: Served, alone: Commands) -> None:
    """Taken by another, open beyond this machine without TLS, with half of it, no port at all."""
    data = Path(service.told["data"])
    told = json.loads((data / "server.json").read_text())
    key = {"KARTEJO_MASTER_KEY_FILE": str(data.with_name(f"{data.name}-secrets") / "master.key")}
    signs_not = ("--checkpoint-seconds", "0")
    serve = ("serve", *signs_not, "--database", told["service_conninfo"], "--listen")
    reason, words = alone.fails(*serve, service.address, **key)
    assert reason == "UNAVAILABLE"
    assert f"cannot listen on {service.address}: Address already in use\n" in words
    assert alone.fails(*serve, "0.0.0.0:0")[0] == "MALFORMED"
    for impossible in ("here", "127.0.0.1:65536", "127.0.0.1:-1", ":50100"):
        assert alone.fails(*serve, impossible)[0] == "MALFORMED"
    for flag in ("--tls-cert", "--tls-key"):
        assert alone.fails(*serve, "127.0.0.1:0", flag, "nothing.pem")[0] == "MALFORMED"


def test_your_own_database_is_migrated_first(pg: EmbeddedServer, alone: Commands) -> None:
    """Not by ``serve``, whose login need not be allowed to."""
    name = f"own_{next(_numbers)}"
    create(pg, name, "template0")
    owner = make_conninfo(pg.conninfo, dbname=name)
    login = make_conninfo(owner, user="kartejo_service")
    reason, told = alone.fails("serve", "--database", login, "--listen", "127.0.0.1:0")
    assert reason == "UNAVAILABLE"
    assert "kartejo migrate" in told
    applied = alone("migrate", "--database", owner, "--json").ok().json
    assert applied["schema_version"] == len(applied["applied"])
    assert "version" in alone("migrate", "--database", owner).ok().out
    assert alone("migrate", "--database", owner, "--json").ok().json["applied"] == []


def test_a_service_that_ends_leaves_no_address_behind(alone: Commands) -> None:
    """SIGTERM drains, ends with 0 and logs nothing; the data can be served again."""
    for _ in range(2):
        served = Served(alone.data, "--listen", "127.0.0.1:0")
        assert alone("tables", "--json").ok().json == []
        assert not served.stop()
        assert alone.fails("tables")[0] == "NO_SERVICE"


def test_a_service_that_was_killed_is_told_from_a_running_one(alone: Commands) -> None:
    served = Served(alone.data, "--listen", "127.0.0.1:0")
    served.kill()
    reason, told = alone.fails("tables")
    assert reason == "UNAVAILABLE"
    assert "kartejo serve" in told
    again = Served(alone.data, "--listen", "127.0.0.1:0")
    assert alone("tables", "--json").ok().json == []
    again.stop()


def test_without_json_it_says_what_to_try_next(alone: Commands) -> None:
    told = ""
    with Background(
        [*quick(), "serve", "--temporary-data", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=environment(alone.data),
    ) as process:
        assert process.stdout is not None
        while "Ctrl-C" not in told:
            line = process.stdout.readline()
            assert line, told
            told += line
        process.terminate()
        assert process.wait(SECONDS) == 0
    assert "Kartejo serves on 127.0.0.1:" in told
    for command, what in TO_TRY:
        assert re.search(rf"kartejo {command} --data \S+ +{what}\n", told)


def test_tls_is_found_by_the_commands_beside_it(alone: Commands, tmp_path: Path) -> None:
    """They trust the certificate that the service speaks with; a stranger trusts it by name."""
    certificate, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    make_certificate(certificate, key)
    tls = ("--tls-cert", str(certificate), "--tls-key", str(key))
    served = Served(alone.data, "--listen", "localhost:0", *tls)
    assert served.told["tls"] is True
    assert alone("tables", "--json").ok().json == []
    far = ("tables", "--json", "--address", f"https://{served.address}")
    assert alone(*far, "--certificate", str(certificate)).ok().json == []
    assert alone.fails(*far)[0] == "CERTIFICATE_NOT_TRUSTED"
    reason, told = alone.fails("tables", "--address", served.address)
    assert reason == "UNAVAILABLE"
    assert "TLS" in told
    served.stop()


def test_it_says_where_it_listens(alone: Commands, tmp_path: Path) -> None:
    """Everywhere is everywhere, and not this machine alone."""
    certificate, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    make_certificate(certificate, key)
    with Background(
        [
            *(*quick(), "serve", "--temporary-data", "--listen", "0.0.0.0:0"),
            *("--tls-cert", str(certificate), "--tls-key", str(key)),
        ],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=environment(alone.data),
    ) as process:
        assert process.stdout is not None
        first, second = process.stdout.readline(), process.stdout.readline()
        process.terminate()
        process.communicate(timeout=SECONDS)
    port = first.removeprefix("Kartejo serves on 0.0.0.0:").removesuffix(" (TLS)\n")
    assert second == f"  from here    127.0.0.1:{port}\n"


def make_certificate(certificate: Path, key: Path) -> None:
    """A certificate for localhost that signs itself."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(private, hashes.SHA256())
    )
    certificate.write_bytes(signed.public_bytes(Encoding.PEM))
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
