"""Folders, files and addresses that cannot be used: a reason and a next step, before any harm."""

from __future__ import annotations

import asyncio
import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import grpc
import pytest

from service.cli.console import program
from service.cli.failures import tell
from service.client import Client, Endpoint
from service.client.errors import Misaddressed
from service.pb import game_service_pb2 as games_pb
from service.vault.secret_file import KeyFileError, read_secret_file
from tests.cli.conftest import SECONDS, Background, Commands
from tests.cli.test_serve import make_certificate
from tests.commands import environment, quick


@pytest.mark.parametrize(
    "command",
    [
        ("serve", "--data", ""),
        ("serve", "--tls-cert", ""),
        ("tables", "--token-file", ""),
        ("tables", "--certificate", ""),
        ("token", "ann", "--output", ""),
        ("script", "run", ""),
    ],
)
def test_an_empty_path_is_not_this_folder(alone: Commands, command: tuple[str, ...]) -> None:
    """A variable that was not set, in most cases: a usage error."""
    ended = alone(*command)
    assert ended.code == 2
    assert "empty" in ended.err
    assert not alone.data.exists()


def test_a_file_goes_only_into_a_folder_that_is_there(kartejo: Commands, tmp_path: Path) -> None:
    """No command makes the folders of a mistyped path, nor works first and fails then."""
    missing = tmp_path / "missing" / "file"
    for command in (
        ("token", "ann", "--output", str(missing)),
        ("script", "export", "5e1d0000-0000-8000-8000-000000000000", "1", "-o", str(missing)),
    ):
        reason, told = kartejo.fails(*command)
        assert reason == "NO_FOLDER"
        assert str(missing.parent) in told
    assert not missing.parent.exists()


def test_a_data_folder_that_cannot_be(alone: Commands, tmp_path: Path) -> None:
    """A file in its place, or above it."""
    file = tmp_path / "file"
    file.touch()
    for data in (file, file / "below"):
        reason, told = alone.fails("serve", "--temporary-data", "--data", str(data))
        assert reason == "UNREACHABLE_DATA"
        assert str(file) in told
        assert "--data" in told


def test_what_the_system_refuses_has_a_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    """The file, the system's words, no number, and what could be done."""
    for number in (errno.EACCES, errno.EROFS, errno.ENOSPC, errno.ENOENT, errno.ELOOP):
        assert tell(OSError(number, os.strerror(number), "/some/file")) == 1
        first, second = capsys.readouterr().err.splitlines()
        assert first == f"kartejo: SYSTEM: /some/file: {os.strerror(number)}"
        assert second.startswith("  next: ")


def test_printed_commands_can_be_pasted(alone: Commands, tmp_path: Path) -> None:
    """Also where a path has blanks, and brackets that would be markup."""
    data = alone.data.with_name("my [b]data")
    told: list[str] = []
    with Background(
        [*quick(), "serve", "--temporary-data", "--data", str(data), "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=environment(None),
    ) as process:
        assert process.stdout is not None
        while not (told and told[-1].startswith("Ctrl-C")):
            told.append(process.stdout.readline())
            assert told[-1]
        process.terminate()
        assert process.wait(SECONDS) == 0
    assert f"  data         {data}, in a PostgreSQL of its own\n" in told
    for line in told:
        words = shlex.split(line) if line.startswith("  kartejo ") else []
        assert not words or words[words.index("--data") + 1] == str(data)
    loose = tmp_path / "loose file"
    loose.touch(0o644)
    with pytest.raises(KeyFileError) as caught:
        read_secret_file(loose)
    assert shlex.split(str(caught.value))[-1] == str(loose)


def test_the_way_this_program_is_called_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = str(tmp_path / "my tools" / "kartejo")
    monkeypatch.setattr(sys, "argv", [here])
    assert shlex.split(program()) == [here]


def test_who_answers_is_told_from_nobody(tmp_path: Path) -> None:
    """A certificate that is not trusted or of another name, TLS where there is none, no gRPC."""
    certificate, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    make_certificate(certificate, key)

    async def reason(endpoint: Endpoint) -> str:
        async with Client(endpoint, patience=0) as client:
            try:
                await client.call(client.games.ListGames, games_pb.ListGamesRequest())
            except Misaddressed as error:
                return error.reason
        raise AssertionError("somebody answered")

    async def scenario() -> None:
        credentials = grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
        server = grpc.aio.server()
        plain = server.add_insecure_port("127.0.0.1:0")
        secure = server.add_secure_port("127.0.0.1:0", credentials)
        await server.start()
        web = await asyncio.start_server(_answer_as_the_web, "127.0.0.1", 0)
        http = web.sockets[0].getsockname()[1]
        trusted = str(certificate)
        for endpoint, word in (
            (Endpoint(f"localhost:{secure}", tls=True), "CERTIFICATE_NOT_TRUSTED"),
            (Endpoint(f"127.0.0.1:{secure}", True, trusted), "CERTIFICATE_NOT_TRUSTED"),
            (Endpoint(f"127.0.0.1:{plain}", True, trusted), "NO_TLS"),
            (Endpoint(f"127.0.0.1:{http}"), "NO_GRPC"),
        ):
            assert await reason(endpoint) == word
        await server.stop(0)
        web.close()

    asyncio.run(scenario())


async def _answer_as_the_web(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    writer.close()
