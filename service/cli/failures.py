"""What a failed command says: one line with the reason, one with what to do next."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from engine.errors import KartejoError, Malformed, Refused, Unavailable
from service.cli.harmless import on_a_line

__all__ = ["CommandError", "as_command_error", "of_database", "of_listening", "tell"]


class CommandError(KartejoError):
    """A command that cannot go on; ``reason`` is its word, ``hint`` says what to do next."""

    def __init__(self, reason: str, what: str, hint: str = "") -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(what)


_HINTS: Final = {
    "NO_SERVICE": "start one with `kartejo serve`, or name another with --address",
    "UNAVAILABLE": "see whether the service runs: `kartejo serve` starts one",
    "ALREADY_RUNNING": "use the running one (`kartejo tables`), or choose another --data",
    "NOT_FOUND": "`kartejo tables` lists the tables, `kartejo replay TABLE` the hands of one, "
    "`kartejo tournament list` the tournaments",
    "PERMISSION_DENIED": "use a token with that role: `kartejo token --help`",
    "TOKEN_MISSING": "name a token by --token-file or KARTEJO_TOKEN; `kartejo token` makes one",
    "TOKEN_MALFORMED": "name a token by --token-file or KARTEJO_TOKEN; `kartejo token` makes one",
    "TOKEN_EXPIRED": "make a new one with `kartejo token`; the administrator's is renewed when the "
    "service starts",
    "TOKEN_FORGED": "the token is of another installation: name one by --token-file or "
    "KARTEJO_TOKEN",
    "TOKEN_OF_LAB": "start the service with `kartejo serve --lab`",
    "EPOCH_OPEN": "ask again when the hand is over, and told: Pontoon's pack with its next shuffle",
    "CARD_NOT_SEEN": "ask for a card that you saw in that hand; --as auditor sees all of them",
    "NO_COMMITMENT": "tables of the laboratory commit to nothing",
    "STALE_DECISION": "look at the table again and decide anew",
    "CORRUPT": "stop, keep the data as it is, and restore a backup beside it",
    "CERTIFICATE_NOT_TRUSTED": "name the certificate to trust by --certificate, and the host as it "
    "stands there",
    "NO_TLS": "leave out https:// and --certificate, or look for another port",
    "NO_GRPC": "look at the address: another program listens there",
    "INVALID_OPTIONS": "`kartejo play GAME --options` lists the options of a game",
}


_SYSTEM_HINTS: Final = {
    errno.EACCES: "name a place that you may use, or be the user whom it belongs to",
    errno.EPERM: "name a place that you may use, or be the user whom it belongs to",
    errno.EROFS: "name a place that can be written",
    errno.ENOSPC: "make room there, then try again",
}


@contextmanager
def of_database() -> Iterator[None]:
    """What is away inside is the database: not the service, which other commands miss."""
    try:
        yield
    except Unavailable as error:
        told = str(error)
        if "`kartejo" in told:  # it says itself what to do
            raise
        hint = "see whether the database runs, and lets this login in"
        raise CommandError(error.reason, told, hint) from None


@contextmanager
def of_listening() -> Iterator[None]:
    """What cannot be had inside is the address to listen on."""
    try:
        yield
    except Unavailable as error:
        hint = "choose another address with --listen, --web or --metrics; port 0 takes a free one"
        raise CommandError(error.reason, str(error), hint) from None


def tell(error: Exception) -> int:
    """Say on standard error what went wrong; the exit code.

    Faults of the program itself keep their traceback: somebody has to find them.
    """
    if isinstance(error, ModuleNotFoundError) and error.name == "uvloop":
        hint = "run it on Linux (on Windows in WSL), or connect to a service elsewhere by --address"
        error = CommandError("NOT_HERE", "this command is not for this system: no uvloop", hint)
    if not isinstance(error, (KartejoError, OSError)):
        traceback.print_exception(error)
        return 70  # EX_SOFTWARE
    if isinstance(error, BrokenPipeError):
        # The reader (head, a pager) has gone; say nothing more into its pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    _say(error)
    return 1


def _of_system(error: OSError) -> CommandError:
    """What the system refused, without its number, and what could be done."""
    what = error.strerror or type(error).__name__
    if error.filename is not None:
        what = f"{error.filename}: {what}"
    hint = _SYSTEM_HINTS.get(error.errno or 0, "see whether that file or folder is what you meant")
    return CommandError("SYSTEM", what, hint)


def as_command_error(error: KartejoError | OSError) -> CommandError:
    """An error in the words of the command line: reason, text, and what to do next."""
    if isinstance(error, CommandError) and error.hint:
        return error
    if isinstance(error, OSError):
        return _of_system(error)
    reason = error.reason
    text = str(error)
    if isinstance(error, Refused):
        told = ", ".join(f"{name}={value}" for name, value in error.detail.items())
        text = f"the rules refuse this ({told})" if told else "the rules refuse this"
    elif isinstance(error, Malformed):
        reason = "MALFORMED"
    # A text that names a command says what to do already, and knows better.
    return CommandError(reason, text, "" if "`kartejo" in text else _HINTS.get(reason, ""))


def _say(error: KartejoError | OSError) -> None:
    told = as_command_error(error)
    print(on_a_line(f"kartejo: {told.reason}: {told}"), file=sys.stderr)  # noqa: T201
    if told.hint:
        print(on_a_line(f"  next: {told.hint}"), file=sys.stderr)  # noqa: T201
