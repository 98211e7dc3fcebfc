"""The embedded PostgreSQL: one server a folder, gone with its owner, back after any death."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from service.store import binaries
from service.store.account import Account, server_account
from service.store.binaries import find_binaries, reachable_binaries
from service.store.embedded import EmbeddedServer, keep_alive, launch, running
from service.store.errors import LaunchError
from service.store.leftovers import clear_leftovers, postmaster_of
from service.store.places import default_home, refuse_temporary
from tests.pg import copied
from tests.store.lines import run

SETTINGS = {"shared_buffers": "16MB", "max_connections": "20", "fsync": "off"}
ROOT = Path(__file__).parents[2]
OWNER = """
import sys, signal
from pathlib import Path
from service.store.embedded import launch
server = launch(Path(sys.argv[1]), settings={}, initdb=("-N",), allow_temporary=True)
print(server.pid, flush=True)
signal.pause()
"""


@pytest.fixture
def fresh(pg_folder: Path) -> Iterator[Path]:
    """A home folder that PostgreSQL's user can reach, and that nothing was made on yet."""
    folder = Path(tempfile.mkdtemp(prefix="home-", dir=pg_folder))
    folder.chmod(0o711)
    yield folder / "kartejo"
    shutil.rmtree(folder)


@pytest.fixture
def home(fresh: Path, made_home: Path) -> Path:
    """One on which a server has run before."""
    return copied(made_home, fresh)


def start(home: Path) -> EmbeddedServer:
    """A server with little memory."""
    return launch(home, settings=SETTINGS, initdb=("-N",), allow_temporary=True)


def gone(pid: int) -> bool:
    """Whether no process ``pid`` runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    return state == "Z"


def wait_until_gone(pid: int, seconds: float = 10.0) -> None:
    """Wait for the end of a process that is not our child."""
    deadline = time.monotonic() + seconds
    while not gone(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def owner_process(home: Path) -> tuple[subprocess.Popen[str], int]:
    """Another process that owns the server on ``home``, and the server's process id."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(home)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert owner.stdout is not None
    with owner.stdout:
        return owner, int(owner.stdout.readline())


def test_data_outlives_the_server(home: Path) -> None:
    for expected in (1, 2):
        with start(home) as server, psycopg.connect(server.conninfo) as db:
            db.execute("CREATE TABLE IF NOT EXISTS kept (n integer)")
            db.execute("INSERT INTO kept VALUES (1)")
            assert db.execute("SELECT sum(n) FROM kept").fetchone() == (expected,)
        assert not server.alive()
        server.stop()
    assert running(home) is None


def test_second_start_is_refused_and_told_where_to_connect(home: Path) -> None:
    with start(home) as server:
        with pytest.raises(LaunchError, match=str(os.getpid())) as caught:
            start(home)
        assert caught.value.reason == "ALREADY_RUNNING"
        assert server.conninfo in str(caught.value)
        strings = running(home)
        assert strings == (server.conninfo, server.service_conninfo)
        with psycopg.connect(strings[1]) as db:
            assert db.execute("SELECT current_user").fetchone() == ("kartejo_service",)


def test_killed_owner_takes_the_server_with_him_and_leaves_a_usable_folder(home: Path) -> None:
    owner, postmaster = owner_process(home)
    folder = Path(json.loads((home / "server.json").read_text())["socket_folder"])
    owner.kill()
    owner.wait()
    wait_until_gone(postmaster)
    assert running(home) is None
    with start(home) as server, psycopg.connect(server.conninfo):
        assert not folder.exists()
    assert not list(home.glob("*.json"))


def test_killed_server_is_revived_at_the_same_address(home: Path) -> None:
    with start(home) as server:
        with psycopg.connect(server.conninfo) as db:
            db.execute("CREATE TABLE kept (n integer)")
        server.kill()
        assert not server.alive()
        server.revive()
        while True:
            try:
                with psycopg.connect(server.conninfo) as db:
                    db.execute("INSERT INTO kept VALUES (1)")
                break
            except psycopg.OperationalError:
                server.revive()


def test_server_that_cannot_stay_alive_is_given_up(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.store.embedded.REVIVE_SECONDS", 0.01)
    monkeypatch.setattr("service.store.embedded.GIVE_UP_SECONDS", 0.2)
    with start(home) as server:
        server.kill()
        (home / "postgres" / "global" / "pg_control").unlink()
        with pytest.raises(LaunchError, match=r"server\.log"):
            run(keep_alive(server))


def test_leftover_server_without_owner_is_ended(home: Path) -> None:
    """Nobody held the lock, and yet a server runs: as if the kernel's signal had been lost."""
    with start(home) as server:
        os.close(server._lock)
        assert postmaster_of(home / "postgres") == server.pid
        with start(home) as second:
            assert not server.alive()
            assert second.alive()
        server._lock = os.open(os.devnull, os.O_RDONLY)


def test_damaged_note_of_a_dead_owner_is_passed_over(fresh: Path) -> None:
    fresh.mkdir(mode=0o711)
    foreign = fresh.parent / "kartejo-precious"
    foreign.mkdir()
    notes = ["", "{", "[]", '{"socket_folder": 3}', json.dumps({"socket_folder": str(foreign)})]
    for told in notes:
        (fresh / "server.json").write_text(told)
        assert running(fresh) is None
        clear_leftovers(fresh)
        assert not (fresh / "server.json").exists()
    assert foreign.exists()
    with start(fresh) as server:
        assert running(fresh) == (server.conninfo, server.service_conninfo)


def test_recycled_process_id_is_not_mistaken_for_a_server(home: Path) -> None:
    lines = f"{os.getpid()}\n{home / 'postgres'}\n0\n5432\n\n\n"
    (home / "postgres" / "postmaster.pid").write_text(lines)
    assert postmaster_of(home / "postgres") == 0
    (home / "postgres" / "postmaster.pid").unlink()


def test_interrupted_first_start_is_made_anew(fresh: Path) -> None:
    (fresh / "postgres").mkdir(parents=True)
    fresh.chmod(0o711)
    (fresh / "initdb.unfinished").touch()
    (fresh / "postgres" / "PG_VERSION").write_text("half")
    with start(fresh) as server, psycopg.connect(server.conninfo):
        assert not (fresh / "initdb.unfinished").exists()


def test_nobody_else_gets_in(fresh: Path) -> None:
    """The socket's folder is private, and the server asks the kernel who knocks."""
    with start(fresh) as server:
        for folder in (server.socket_folder, fresh / "postgres"):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        rules = [
            line
            for line in (fresh / "postgres" / "pg_hba.conf").read_text().splitlines()
            if line and not line.startswith("#")
        ]
        assert rules == ["local all kartejo,kartejo_service peer map=kartejo"]
        assert stat.S_IMODE((fresh / "server.json").stat().st_mode) == 0o600
        assert stat.S_IMODE((fresh / "server.log").stat().st_mode) == 0o600
        with psycopg.connect(server.conninfo) as db:
            assert db.execute("SHOW listen_addresses").fetchone() == ("",)
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(server.conninfo, user="postgres")
        if os.geteuid() == 0:
            _knock_as_the_servers_user(server)


def _knock_as_the_servers_user(server: EmbeddedServer) -> None:
    """Even he who may enter the folder is not let in."""
    account = server_account(server.home / "postgres")
    assert account is not None
    status = _in_child_as(account, lambda: psycopg.connect(server.conninfo))
    assert status == "OperationalError"


def _in_child_as(account: Account, work: object) -> str:
    """Run ``work`` in a forked child as ``account``: "" or the name of the error it met."""
    assert callable(work)
    reading, writing = os.pipe()
    if not (child := os.fork()):
        said = "died"
        try:
            os.setgroups([])
            os.setgid(account.gid)
            os.setuid(account.uid)
            work()
            said = ""
        except BaseException as error:  # noqa: BLE001 – the parent judges it
            said = getattr(error, "reason", type(error).__name__)
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def _interpreter_for(account: Account) -> str:
    """A Python that ``account`` can run: ours may lie in root's home, as no user's own does."""
    for python in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        try:
            subprocess.run([python, "-I", "-c", ""], user=account.uid, check=True, cwd="/")
        except (OSError, subprocess.CalledProcessError):
            continue
        return python
    pytest.fail(f"this test needs a Python that user {account.name} can run")


def test_normal_user_runs_a_server_of_his_own(
    pg_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root tries it as nobody; anybody else already does it in every other test."""
    me = pwd.getpwuid(os.geteuid())
    entry = pwd.getpwnam("nobody") if os.geteuid() == 0 else me
    account = Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    folder = Path(tempfile.mkdtemp(prefix="user-", dir=pg_folder))
    if os.geteuid() == 0:
        os.chown(folder, account.uid, account.gid)
        monkeypatch.setattr(sys, "executable", _interpreter_for(account))
        monkeypatch.setenv(
            "KARTEJO_PG_BIN", str(reachable_binaries(find_binaries(), account, pg_folder))
        )

    def work() -> None:
        assert os.geteuid() == account.uid != 0
        home = folder / "kartejo"
        with start(home) as server, psycopg.connect(server.conninfo) as db:
            assert server_account(home / "postgres") is None
            assert db.execute("SELECT 1").fetchone() == (1,)
        assert stat.S_IMODE(home.stat().st_mode) == 0o700

    if os.geteuid() == 0:
        assert _in_child_as(account, work) == ""
    else:
        work()
    shutil.rmtree(folder)


def test_temporary_areas_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "link"
    link.symlink_to(tempfile.gettempdir())
    for area in (tmp_path, link / "x", Path("/dev/shm/kartejo"), Path("/var/tmp"), Path("/run/x")):
        with pytest.raises(LaunchError, match="--data") as caught:
            launch(area)
        assert caught.value.reason == "TEMPORARY_DATA"
    refuse_temporary(Path("/var/lib/kartejo"))
    if os.geteuid() == 0:
        assert default_home() == Path("/var/lib/kartejo")


def test_only_the_main_thread_may_start_it(home: Path) -> None:
    met: list[str] = []

    def work() -> None:
        try:
            start(home)
        except LaunchError as error:
            met.append(error.reason)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert met == ["NOT_MAIN_THREAD"]
    with start(home) as server:
        assert server.alive()


def fake_programs(folder: Path, version: str) -> Path:
    """Programs that only tell their version."""
    folder.mkdir()
    for name in ("postgres", "initdb"):
        script = folder / name
        script.write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n")
        script.chmod(0o755)
    return folder


def test_programs_are_found_in_order_and_old_ones_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = fake_programs(tmp_path / "old", "14.9")
    new = fake_programs(tmp_path / "new", "18.1")
    monkeypatch.setenv("KARTEJO_PG_BIN", str(new))
    assert find_binaries() == new
    for wrong in (old, tmp_path / "none"):
        monkeypatch.setenv("KARTEJO_PG_BIN", str(wrong))
        with pytest.raises(LaunchError) as caught:
            find_binaries()
        assert caught.value.reason == "NO_POSTGRES"
    monkeypatch.delenv("KARTEJO_PG_BIN")
    monkeypatch.setattr(binaries, "_candidates", lambda: iter([tmp_path / "none", old, new]))
    assert find_binaries() == new
    monkeypatch.setattr(binaries, "_candidates", lambda: iter([old]))
    with pytest.raises(LaunchError, match="kartejo\\[embedded\\]"):
        find_binaries()


def test_programs_out_of_reach_are_copied_with_their_libraries(
    pg_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the environment lies below a folder of mode 700."""
    source = find_binaries()
    entry = pwd.getpwuid(os.geteuid()) if os.geteuid() else pwd.getpwnam("nobody")
    account = Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    real = binaries._major

    def unreachable(folder: Path, who: Account | None = None) -> int:
        return 0 if who is not None and folder == source else real(folder, who and account)

    cache = Path(tempfile.mkdtemp(prefix="cache-", dir=pg_folder))
    cache.chmod(0o755)
    if os.geteuid() == 0:
        monkeypatch.setattr(binaries, "_major", unreachable)
        copied = reachable_binaries(source, account, cache)
        assert copied.is_relative_to(cache)
        assert reachable_binaries(source, account, cache) == copied
        assert [path.name.startswith("postgres-") for path in cache.iterdir()] == [True]
        told = subprocess.run(
            [copied / "initdb", "--version"], user=account.uid, check=True, capture_output=True
        )
        assert b"PostgreSQL" in told.stdout
    else:
        assert reachable_binaries(source, None, cache) == source


def test_data_of_another_major_version_is_refused(home: Path) -> None:
    version = home / "postgres" / "PG_VERSION"
    ours = version.read_text()
    version.write_text("12\n")
    with pytest.raises(LaunchError, match="pg_upgrade"):
        start(home)
    version.write_text(ours)


def test_folder_out_of_reach_says_what_to_do(pg_folder: Path) -> None:
    """Root's own folder of mode 700: the server's user cannot get to its data."""
    closed = Path(tempfile.mkdtemp(prefix="closed-", dir=pg_folder))
    if os.geteuid() == 0:
        with pytest.raises(LaunchError, match="711") as caught:
            start(closed / "kartejo")
        assert caught.value.reason == "UNREACHABLE_DATA"
    else:
        with start(closed / "kartejo") as server:
            assert server.alive()


def test_ctrl_c_of_a_terminal_does_not_reach_the_server(home: Path) -> None:
    with start(home) as server:
        assert os.getsid(server.pid) == server.pid != os.getsid(0)
