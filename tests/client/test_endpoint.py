"""Where a service says it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.client import Endpoint


def test_what_was_written_is_read(tmp_path: Path) -> None:
    endpoint = Endpoint("127.0.0.1:50100", tls=True, certificate="/c.pem", lab=True, process=7)
    home = tmp_path / "new"
    assert Endpoint.read(home) is None
    endpoint.write(home)
    assert Endpoint.read(home) == endpoint
    Endpoint.remove(home)
    Endpoint.remove(home)
    assert Endpoint.read(home) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"address": "a:1", "colour": "red"}'])
def test_a_file_of_another_kind_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "endpoint.json").write_text(text)
    assert Endpoint.read(tmp_path) is None


def test_addresses() -> None:
    assert Endpoint.parse("localhost:1") == Endpoint("localhost:1")
    assert Endpoint.parse("http://localhost:1") == Endpoint("localhost:1")
    assert Endpoint.parse("https://cards.example:443").tls
    assert Endpoint.parse("[::1]:5").address == "[::1]:5"
    assert Endpoint.parse("cards.example:443", "ca.pem").tls
    for wrong in ("", "localhost", "localhost:", ":5", "ftp://localhost:1", "localhost:x"):
        with pytest.raises(ValueError, match="an address is"):
            Endpoint.parse(wrong)
