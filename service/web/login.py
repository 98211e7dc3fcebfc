"""Logging in from a browser: a link's code for a token."""

from __future__ import annotations

import json
from typing import Final

from engine.errors import KartejoError, Malformed
from service.identity import Tokens
from service.rpc.calls import Calls
from service.web import json_form
from service.web.call import Ended

__all__ = ["PATH", "TOKEN_SECONDS", "Login"]

PATH: Final = "/login"
TOKEN_SECONDS: Final = 12 * 3_600
"""How long one who came by a link stays."""


class Login:
    """Answers ``{"code": …}`` with a token for whom the code names, with the roles that it has."""

    def __init__(self, calls: Calls, tokens: Tokens) -> None:
        self._calls = calls
        self._tokens = tokens

    def answer(self, body: bytes, peer: str) -> bytes:
        """The JSON of an answer; raises ``Ended``."""
        try:
            self._calls.connection.take(peer)
            return self._answer(body)
        except KartejoError as error:
            raise Ended(self._calls.told(error)) from None

    def _answer(self, body: bytes) -> bytes:
        asked = json_form.parse(body)
        if set(asked) != {"code"} or not isinstance(asked["code"], str):
            raise Malformed("code", 'expected {"code": "…"}, the code of a link')
        subject, roles = self._tokens.links.read(asked["code"])
        token = self._tokens.issue(subject, roles, TOKEN_SECONDS)
        told = {"token": token, "subject": subject, "seconds": TOKEN_SECONDS}
        return json.dumps(told).encode() + b"\n"
