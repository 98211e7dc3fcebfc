"""A port that several processes of one service share, and nobody else."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest

from engine.errors import Malformed, Unavailable
from service.rpc.listening import reserved, why_not

LOCAL = "127.0.0.1"


def has_ipv6() -> bool:
    """Whether this machine may be reached by ::1."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


ADDRESSES = ["127.0.0.1:0", "localhost:0", "0.0.0.0:0", *(["[::1]:0", "[::]:0"] * has_ipv6())]


def listener(port: int, host: str = LOCAL, *, shared: bool) -> socket.socket:
    """A socket that listens as a worker's does, or as anybody's."""
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, True)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, shared)
    try:
        found.bind((host, port))
        found.listen()
    except OSError:
        found.close()
        raise
    return found


@pytest.mark.parametrize("listen", ADDRESSES)
def test_whoever_shares_the_port_gets_every_connection(listen: str) -> None:
    """Never the one that keeps it, which does not listen."""
    near = "::1" if listen == "[::1]:0" else LOCAL
    with reserved(listen) as port, ExitStack() as stack:
        workers = [stack.enter_context(listener(port, near, shared=True)) for _ in range(2)]
        calls = [
            stack.enter_context(socket.create_connection((near, port), timeout=5))
            for _ in range(20)
        ]
        for worker in workers:
            worker.settimeout(0)
        taken = 0
        for worker in workers:
            while True:
                try:
                    connection, _ = worker.accept()
                except BlockingIOError:
                    break
                connection.close()
                taken += 1
        assert taken == len(calls)


def test_a_port_is_kept_from_everybody_else() -> None:
    """Before anybody listens and after; from those that would share it and those that would not."""
    with reserved(f"{LOCAL}:0") as port:
        for workers in (0, 2):
            with ExitStack() as stack:
                for _ in range(workers):
                    stack.enter_context(listener(port, shared=True))
                assert why_not(LOCAL, port) == "Address already in use"
                with pytest.raises(Unavailable, match="Address already in use"):
                    stack.enter_context(reserved(f"{LOCAL}:{port}"))
    with reserved(f"{LOCAL}:{port}") as again:
        assert again == port


def test_a_port_where_somebody_listens_cannot_be_kept() -> None:
    for shared in (False, True):
        with listener(0, shared=shared) as other:
            port = other.getsockname()[1]
            with pytest.raises(Unavailable, match=f"cannot listen on {LOCAL}:{port}: Address"):
                reserved(f"{LOCAL}:{port}").__enter__()


def test_a_port_whose_connections_have_just_ended_can_be_kept() -> None:
    """The system remembers them for a minute; a service that was restarted does not wait."""
    with listener(0, shared=True) as server:
        port = server.getsockname()[1]
        with socket.create_connection((LOCAL, port)) as caller:
            connection, _ = server.accept()
            connection.close()
            assert caller.recv(1) == b""
    with reserved(f"{LOCAL}:{port}") as kept:
        assert kept == port


def test_what_is_no_address_is_said() -> None:
    for listen, error in (("nowhere", Malformed), ("127.0.0.256:0", Unavailable)):
        with pytest.raises(error, match="listen"):
            reserved(listen).__enter__()
