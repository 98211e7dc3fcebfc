"""Is ``kartejo`` for whoever starts it; the work is done by a child of server.py.

Runs as ``python -I -S client.py SOCKET MODULE ARGUMENT…`` and imports next to nothing.  Signals are
passed on; when this process ends, however it ends, so does the child; and the other way round.
"""

import os
import signal
import socket
import sys
from pathlib import Path


def _number(line: socket.socket) -> int:
    told = line.recv(8)
    if len(told) < 8:
        sys.exit("the server of the quick commands is gone")
    return int.from_bytes(told, "big")


def _run() -> None:
    path, *arguments = sys.argv[1:]
    words = [bytes(Path.cwd()), b"%d" % len(arguments), *map(os.fsencode, arguments)]
    words += [b"%s=%s" % pair for pair in os.environb.items()]
    told = b"\0".join(words)
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    socket.send_fds(line, [len(told).to_bytes(8, "big")], [0, 1, 2])
    line.sendall(told)
    child = _number(line)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda number, _: os.kill(child, number))
    for stream in (0, 1, 2):
        os.close(stream)  # they are the child's: who reads from it sees it end
    status = _number(line)
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


_run()
