"""The options that commands share, and the service they lead to."""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from service.cli.failures import CommandError

if TYPE_CHECKING:
    from service.client import Client, Endpoint
    from service.identity import SecretFiles

__all__ = [
    "Address",
    "AsJson",
    "Certificate",
    "Data",
    "TokenFile",
    "Where",
    "a_path",
    "help_text",
    "home_of",
    "in_folder",
]

_REACH = "Reaching the service"


def a_path(text: str) -> Path:
    """A path that was typed; raises ``typer.BadParameter`` for none, which would be this folder."""
    if not text.strip():
        raise typer.BadParameter("an empty text names no file or folder")
    return Path(text)


def in_folder(path: Path) -> Path:
    """A file to write, whose folder is there; raises ``CommandError``.

    Asked before the work is done that it is to hold.
    """
    if not path.parent.is_dir():
        what = f"there is no folder {path.parent} to write {path.name} in"
        raise CommandError("NO_FOLDER", what, "make it, or name a file elsewhere")
    return path


Address = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        envvar="KARTEJO_ADDRESS",
        rich_help_panel=_REACH,
        help="A service elsewhere; https://HOST:PORT speaks TLS. Default: the one on --data.",
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        parser=a_path,
        rich_help_panel=_REACH,
        help="The bearer token. Default: KARTEJO_TOKEN, else the administrator's of --data.",
    ),
]
Certificate = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        parser=a_path,
        envvar="KARTEJO_CERTIFICATE",
        rich_help_panel=_REACH,
        help="The certificate to trust, where the system does not.",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        parser=a_path,
        envvar="KARTEJO_DATA",
        rich_help_panel=_REACH,
        help="Where the service keeps its data. Default: /var/lib/kartejo for root, else the "
        "user's data directory.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def help_text(command: Callable[..., object]) -> str:
    """A command's docstring as typer prints it: paragraphs flow, the examples keep their lines."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    flowing = [" ".join(paragraph.split()) for paragraph in paragraphs[:-1]]
    return "\n\n".join([*flowing, paragraphs[-1]])


def home_of(data: Path | None) -> Path:
    """The data directory meant."""
    from service.store.places import default_home

    return (data or default_home()).absolute()


class Where(NamedTuple):
    """Which service a command speaks to, as its options say."""

    address: str | None
    token_file: Path | None
    certificate: Path | None
    data: Path | None

    def again(self) -> str:
        """These options as they are typed again, each with a blank before it."""
        named = (
            ("--address", self.address),
            ("--token-file", self.token_file),
            ("--certificate", self.certificate),
            ("--data", self.data),
        )
        return "".join(f" {name} {shlex.quote(str(value))}" for name, value in named if value)

    def endpoint(self) -> Endpoint:
        """How to reach it; raises ``CommandError``."""
        from service.client import Endpoint

        if self.address:
            try:
                return Endpoint.parse(self.address, str(self.certificate or ""))
            except ValueError as error:
                raise CommandError("BAD_ADDRESS", str(error)) from None
        home = home_of(self.data)
        found = Endpoint.read(home)
        if found is None:
            raise CommandError("NO_SERVICE", f"no service runs on {home}")
        return found

    def files(self) -> SecretFiles:
        """The secrets of the installation, as far as this user may read them."""
        from service.identity import SecretFiles

        return SecretFiles.beside(home_of(self.data))

    def token(self, *, lab: bool = False) -> str:
        """The token to send; raises ``CommandError`` and ``KeyFileError``."""
        from service.vault.secret_file import read_secret_file

        if self.token_file is not None:
            return read_secret_file(self.token_file).strip()
        if told := os.environ.get("KARTEJO_TOKEN"):
            return told.strip()
        files = self.files()
        path = files.lab_admin_token if lab else files.admin_token
        if not path.exists():
            hint = "start it with `kartejo serve --lab`" if lab else ""
            raise CommandError("TOKEN_MISSING", f"there is no token in {path}", hint)
        return files.read_token(path)

    def client(self, *, lab: bool = False, patience: float = 0.0, token: str = "") -> Client:
        """A client of that service, with ``token`` or the one that :meth:`token` finds."""
        from service.client import Client

        endpoint = self.endpoint()
        return Client(endpoint, token or self.token(lab=lab), patience=patience)
