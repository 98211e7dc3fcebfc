"""docs/deploy: what it starts is there, its SQL does what it says, its health check tells."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
import yaml
from typer.main import get_command

from service.cli.app import app
from service.store.binaries import find_binaries
from tests.commands import ROOT
from tests.docs.blocks import blocks
from tests.docs.conftest import House

DEPLOY = ROOT / "docs" / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
UNIT = (DEPLOY / "kartejo.service").read_text(encoding="utf-8")


def understood(words: Sequence[str]) -> dict[str, Any]:
    """The options that ``kartejo`` reads in words; raises what click raises where it cannot."""
    name, *rest = words
    command: Any = get_command(app).commands[name]  # type: ignore[attr-defined]
    context = command.make_context(name, list(rest), resilient_parsing=False)
    options: dict[str, Any] = context.params
    return options


def test_the_container_starts_a_command_that_there_is() -> None:
    told = re.findall(r"^(?:ENTRYPOINT|CMD) (\[.*\])$", CONTAINERFILE, re.MULTILINE)
    entry, arguments = map(json.loads, told)
    assert entry == ["kartejo"]
    assert understood(arguments)["metrics"] == "127.0.0.1:9464"


def test_what_the_container_copies_reaches_it() -> None:
    """.dockerignore lets nothing through but what is named, and that is there."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    named = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert lines[1] == "*"
    assert all((ROOT / name).exists() for name in named)
    assert {"csrc", "engine", "service", "requirements", "pyproject.toml", "setup.py"} <= named


def test_the_services_of_the_compose_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands and files that there are; the database reachable by ours alone; nobody is root."""
    services = COMPOSE["services"]
    ours = {name for name, each in services.items() if each["image"] == "kartejo"}
    assert ours == {"migrate", "kartejo"}
    for name in ours:
        assert services[name]["environment"]["KARTEJO_DATABASE"].startswith("postgresql://")
    monkeypatch.setenv("KARTEJO_DATABASE", "postgresql://")
    serve = understood(services["kartejo"]["command"])
    assert serve["listen"].endswith(":50100")
    assert serve["web"].endswith(":50180")
    assert serve["tls_cert"] is not None
    assert understood(services["migrate"]["command"])
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert [name for name, each in services.items() if "outside" in each["networks"]] == ["kartejo"]
    assert [name for name, each in services.items() if "ports" in each] == ["kartejo"]
    assert (DEPLOY / services["login"]["volumes"][0].partition(":")[0]).is_file()
    assert (DEPLOY / services["migrate"]["build"]["context"]).resolve() == ROOT
    assert services["kartejo"]["read_only"] is True
    assert services["kartejo"]["cap_drop"] == ["ALL"]
    assert set(COMPOSE["volumes"]) == {"database", "keys"}


def test_the_login_may_write_and_is_made_once(admin_dsn: str) -> None:
    """login.sql, twice, by psql: a changed password holds, and the role is not the owner's."""
    psql = find_binaries() / "psql"
    with psycopg.connect(admin_dsn, autocommit=True) as owner:
        for password in ("first", "it's the second"):
            subprocess.run(
                [psql, "--no-psqlrc", f"--dbname={admin_dsn}", f"--file={DEPLOY / 'login.sql'}"],
                check=True,
                capture_output=True,
                env={**os.environ, "CARDS_PASSWORD": password},
            )
        stored = owner.execute("SELECT rolpassword, rolsuper FROM pg_authid WHERE rolname='cards'")
        password_of, is_super = stored.fetchone() or ("", True)
        assert str(password_of).startswith("SCRAM-SHA-256$")
        assert not is_super
        may = owner.execute("SELECT pg_has_role('cards', 'kartejo_writer', 'MEMBER')").fetchone()
        assert may == (True,)
        owner.execute("SET ROLE cards")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            owner.execute("DELETE FROM kartejo.commit")
        owner.execute("RESET ROLE")
        owner.execute("REVOKE kartejo_writer FROM cards")
        owner.execute("DROP ROLE cards")


def test_the_health_check_tells(house: House) -> None:
    """Healthy while the service has its database; not where nothing answers."""
    (told,) = re.findall(r"HEALTHCHECK .*?CMD (\[.*?\])\n", CONTAINERFILE, re.DOTALL)
    program, *arguments = json.loads(told)
    assert program == "python"
    assert "127.0.0.1:9464" in arguments[1]

    def healthy(address: str) -> bool:
        command = [word.replace("127.0.0.1:9464", address) for word in arguments]
        done = subprocess.run([sys.executable, *command], capture_output=True, check=False)
        return done.returncode == 0

    address = house.served.told["metrics"].removeprefix("http://").removesuffix("/metrics")
    assert healthy(address)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    assert not healthy(f"127.0.0.1:{port}")


def test_the_unit_starts_a_command_and_lets_it_do_little() -> None:
    """Each setting once; those that keep it from changing the system are among them."""
    pairs = re.findall(r"^(\w+)=(.*)$", UNIT, re.MULTILINE)
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names)
    told = dict(pairs)
    program, *words = told["ExecStart"].split()
    assert program.endswith("/bin/kartejo")
    assert words.pop() == "$KARTEJO_OPTIONS"
    assert understood(words)["log_json"] is True
    assert told["KillMode"] == "mixed"
    assert (told["ProtectSystem"], told["DynamicUser"], told["UMask"]) == ("strict", "yes", "0077")
    state = f"/var/lib/{told['StateDirectory']}/"
    assert told["Environment"].startswith(f"KARTEJO_DATA={state}")


def test_the_environment_file_that_is_shown() -> None:
    (shown,) = (block.text for block in blocks("docs/packaging.md") if block.language == "text")
    told = dict(line.split("=", 1) for line in shown.splitlines())
    assert told.keys() == {"KARTEJO_DATABASE", "KARTEJO_OPTIONS"}
    assert understood(["serve", *told["KARTEJO_OPTIONS"].split()])["workers"] == 4
