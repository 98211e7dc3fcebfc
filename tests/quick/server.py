"""Runs ``kartejo`` again and again without importing it again.

A process of a test spends most of its time on imports.  ``python -m tests.quick.server SOCKET``
has done them; for each client (client.py) that connects to ``SOCKET`` it forks a child, which
takes over the client's arguments, environment, folder and standard streams and then runs
``main()`` of the module that the client names.  A child ends with its client, all children and
this process with whoever started it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import pkgutil
import selectors
import signal
import socket
import sys
import threading
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import NoReturn

import service
import tests.faults.server  # noqa: F401 - another module that is run
from service.cli.app import app


class Request:
    """What a client asks for: arguments, folder, environment, and its three streams."""

    def __init__(self, line: socket.socket) -> None:
        head, self.streams, _, _ = socket.recv_fds(line, 8, 3)
        rest = b""
        while len(rest) < int.from_bytes(head, "big"):
            rest += line.recv(65536)
        folder, count, *words = rest.split(b"\0")
        self.folder = folder
        self.arguments = [os.fsdecode(word) for word in words[: int(count)]]
        self.environment = dict(word.split(b"=", 1) for word in words[int(count) :])

    def become(self) -> None:
        """Make this process look as if it had been started so."""
        for number, stream in enumerate(self.streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(self.folder)
        os.environb.clear()
        os.environb.update(self.environment)
        sys.argv[1:] = self.arguments
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=stream.isatty())


class Forks:
    """The children that run, and the clients that wait for them."""

    def __init__(self, path: str) -> None:
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(path)
        self._door.listen(64)
        self._ended, self._bell = os.pipe()
        for end in (self._ended, self._bell):
            os.set_blocking(end, False)
        self._before = signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._bell)
        self._clients: dict[int, socket.socket] = {}
        self._waiting = selectors.DefaultSelector()
        for what in (self._door, self._ended, 0):
            self._waiting.register(what, selectors.EVENT_READ)

    def serve(self) -> None:
        """Returns in each child; in this process never."""
        while True:
            for key, _ in self._waiting.select():
                if key.fileobj is self._door:
                    line, _ = self._door.accept()
                    if self._forked(line):
                        return
                elif key.fd == self._ended:
                    os.read(self._ended, 4096)
                    self._reap()
                elif key.fd == 0:
                    self._end()
                elif key.data in self._clients:
                    os.kill(key.data, signal.SIGKILL)  # the client is gone
                    self._waiting.unregister(key.fileobj)

    def _forked(self, line: socket.socket) -> bool:
        request = Request(line)
        child = os.fork()
        if not child:
            self._leave()
            line.close()
            request.become()
            return True
        for stream in request.streams:
            os.close(stream)
        self._clients[child] = line
        self._waiting.register(line, selectors.EVENT_READ, child)
        line.sendall(child.to_bytes(8, "big"))
        return False

    def _leave(self) -> None:
        """In a child: nothing of this is its business."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, self._before)
        self._waiting.close()
        for end in (self._ended, self._bell):
            os.close(end)
        for line in (self._door, *self._clients.values()):
            line.close()

    def _reap(self) -> None:
        while self._clients:
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            line = self._clients.pop(child)
            if line in self._waiting.get_map():
                self._waiting.unregister(line)
                line.sendall(status.to_bytes(8, "big"))
            line.close()

    def _end(self) -> NoReturn:
        for child in self._clients:
            os.kill(child, signal.SIGKILL)
        os._exit(0)


def _import_everything() -> None:
    for module in pkgutil.walk_packages(service.__path__, "service."):
        if not module.name.endswith(("__main__", ".worker")):
            importlib.import_module(module.name)
    # What reads the command line and draws is imported when a command is run.
    with redirect_stdout(StringIO()), suppress(SystemExit):
        app(["odds", "pontoon", "--help"])
    gc.freeze()


def _run(module: str) -> NoReturn:
    """Run a module, and end without taking to pieces what was never this process's own."""
    code: object = 0
    try:
        sys.modules[module].main()
    except SystemExit as ended:
        code = ended.code
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def _serve() -> None:
    path = sys.argv.pop()
    _import_everything()
    forks = Forks(path)
    print("ready", flush=True)
    forks.serve()
    _run(sys.argv.pop(1))


if __name__ == "__main__":  # what a command starts by itself imports this module anew
    _serve()
