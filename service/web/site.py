"""Everything behind the HTTP port: pages, logging in, calls; and who is not answered at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import structlog
from google.rpc.code_pb2 import (
    INVALID_ARGUMENT,
    NOT_FOUND,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    UNIMPLEMENTED,
)

from engine.errors import Denied, KartejoError
from service.host.faults import report
from service.rpc.connections import MOST_METADATA_BYTES
from service.rpc.door import Door, Served
from service.rpc.status import internal_status, status_for
from service.web.application import Application
from service.web.asgi import Message, Receive, Scope, Send
from service.web.body import Body, as_text
from service.web.call import CALL, Call, Ended
from service.web.company import PATH as BOTS
from service.web.company import Company
from service.web.exchange import Request, api, call_headers, open_to, refuse, respond
from service.web.faults import as_connect_error, http_status
from service.web.figures import PATH as METRICS
from service.web.figures import Figures
from service.web.json_form import Kinds
from service.web.login import PATH as LOGIN
from service.web.login import Login
from service.web.origins import ANSWERED, Origins
from service.web.pages import Page
from service.web.terms import require_plain

__all__ = ["Site"]

UNARY: Final = ("application/json", "application/proto")
STREAM: Final = ("application/connect+json", "application/connect+proto")
GRPC_WEB: Final = (
    "application/grpc-web",
    "application/grpc-web+proto",
    "application/grpc-web+json",
    "application/grpc-web-text",
    "application/grpc-web-text+proto",
)
BINARY: Final = "application/grpc-web+proto"
TEXT: Final = "application/grpc-web-text"
TEXT_SENT: Final = "application/grpc-web-text+proto"

log = structlog.get_logger(__name__)


class Site:
    """Answers requests.

    ``grpc_port`` is told to those who look for gRPC here.
    """

    def __init__(
        self,
        door: Door,
        login: Login,
        company: Company | None,
        figures: Figures,
        pages: Mapping[str, Page],
        origins: Origins,
        grpc_port: int,
        kinds: Kinds,
    ) -> None:
        self._door = door
        self._login = login
        self._company = company
        self._figures = figures
        self._pages = pages
        self._origins = origins
        self._grpc_port = grpc_port
        self._calls = Application(door, kinds)
        self._slow = door.bodies

    async def __call__(
        self, scope: Scope, receive: Receive, send: Send, cut: Callable[[], None]
    ) -> None:
        """Answer one request; ``cut`` breaks its connection."""
        request = Request.of(scope, receive, send, cut)
        if request is None:
            why = "expected headers in ASCII"
            await refuse(send, 400, status_for(INVALID_ARGUMENT, why, "HEADER_NOT_ASCII"))
        elif request.is_ambiguous:
            why = "expected Content-Length or Transfer-Encoding, not both"
            status = status_for(INVALID_ARGUMENT, why, "LENGTH_AMBIGUOUS")
            await refuse(send, 400, status, [(b"connection", b"close")])
        elif request.size > MOST_METADATA_BYTES:
            why = f"the headers of a request are {MOST_METADATA_BYTES} bytes at most"
            await refuse(send, 431, status_for(RESOURCE_EXHAUSTED, why, "HEADERS_TOO_LARGE"))
        elif not self._origins.knows_host(request.host):
            why = "this service is reached as localhost or by its address, and by no other name"
            await refuse(send, 421, status_for(PERMISSION_DENIED, why, "FOREIGN_HOST"))
        elif not self._is_open_to(request):
            why = "pages of that origin may not call; the operator opens it with --web-origin"
            await refuse(send, 403, status_for(PERMISSION_DENIED, why, "FOREIGN_ORIGIN"))
        else:
            if self._origins.is_named(request.origin):
                request = request._replace(send=open_to(request.origin, send))
            await self._answer(request)

    def _is_open_to(self, request: Request) -> bool:
        if not request.has("origin"):  # no page of another site asks without one
            return True
        return self._origins.allows(request.origin, request.scope["scheme"], request.host)

    async def _answer(self, request: Request) -> None:
        path, method = request.scope["path"], request.scope["method"]
        served = self._door.served.get(path)
        page = self._pages.get(path)
        if method == "OPTIONS" and self._origins.is_named(request.origin):
            await respond(request.send, 204, list(ANSWERED), b"")
        elif path == METRICS and method == "GET":
            await self._answer_other(request, self._figures.answer(request))
        elif served is None and path not in {LOGIN, BOTS}:
            await self._show(request, page)
        elif method != "POST":
            why = f"expected POST, not {method}"
            status = status_for(UNIMPLEMENTED, why, "METHOD_NOT_ALLOWED")
            await refuse(request.send, 405, status, [(b"allow", b"POST")])
        elif served is None:
            await self._post(request)
        elif why := self._why_not(served, request.kind):
            status = status_for(INVALID_ARGUMENT, why, "WRONG_CONTENT_TYPE")
            accepted = ", ".join(_accepted(served)).encode()
            await refuse(request.send, 415, status, [(b"accept-post", accepted)])
        else:
            await self._call(request, served)

    def _why_not(self, served: Served, kind: str) -> str:
        """Why a call cannot be read in a content type; empty if it can."""
        if kind in _accepted(served):
            return ""
        if kind == "application/grpc" or kind.startswith("application/grpc+"):
            return f"gRPC itself is spoken on port {self._grpc_port}; here gRPC-Web is"
        return f"expected Content-Type {', '.join(_accepted(served))}; not {kind or 'none'}"

    async def _show(self, request: Request, page: Page | None) -> None:
        method = request.scope["method"]
        if page is None:
            if method == "POST":
                self._door.calls.records.no_such()
            await refuse(request.send, 404, status_for(NOT_FOUND, "nothing is here", "NOT_FOUND"))
        elif method not in {"GET", "HEAD"}:
            why = f"expected GET, not {method}"
            status = status_for(UNIMPLEMENTED, why, "METHOD_NOT_ALLOWED")
            await refuse(request.send, 405, status, [(b"allow", b"GET, HEAD")])
        elif request.header("if-none-match") == page.tag:
            await respond(request.send, 304, page.headers, b"")
        else:
            await respond(request.send, 200, page.headers, page.body)

    async def _answer_other(
        self, request: Request, work: Awaitable[tuple[bytes, str] | None]
    ) -> None:
        """Answer what is no call of the contract, with a body and its content type; or say why
        not.  None: the caller has left."""
        try:
            answer = await work
        except Ended as ended:
            await refuse(request.send, http_status(ended.status), ended.status)
        except Exception as error:  # noqa: BLE001 whatever it is, a request is answered
            report(log.bind(call=request.scope["path"]), "call_failed", error)
            await refuse(request.send, 500, internal_status())
        else:
            if answer is not None:
                body, kind = answer
                await respond(api(request.send), 200, [(b"content-type", kind.encode())], body)

    async def _post(self, request: Request) -> None:
        """JSON for JSON."""
        if request.kind != "application/json":
            why = f"expected Content-Type application/json, not {request.kind or 'none'}"
            status = status_for(INVALID_ARGUMENT, why, "WRONG_CONTENT_TYPE")
            await refuse(request.send, 415, status, [(b"accept-post", b"application/json")])
        elif request.scope["path"] == LOGIN:
            await self._answer_other(request, self._log_in(request))
        else:
            await self._answer_other(request, self._seat_bots(request))

    def _body(self, request: Request, *, is_framed: bool = False, is_text: bool = False) -> Body:
        # Whoever has no token must not hold all connections by bodies that do not come.
        places = (self._slow, request.address)
        return Body(request.receive, request.length, *places, is_framed=is_framed, is_text=is_text)

    async def _log_in(self, request: Request) -> tuple[bytes, str] | None:
        require_plain(request.headers)
        body = await self._body(request).read()
        return None if body is None else (self._login.answer(body, request.peer), UNARY[0])

    async def _seat_bots(self, request: Request) -> tuple[bytes, str] | None:
        require_plain(request.headers)
        calls = self._door.calls
        try:
            calls.connection.take(request.peer)
            calls.claims(request.headers)
            if self._company is None:
                raise Denied("bots come only where the service runs on the caller's own machine")
            body = await self._body(request).read()
            if body is None:
                return None
            return await self._company.answer(body, request.header("authorization")[7:]), UNARY[0]
        except KartejoError as error:
            raise Ended(calls.told(error)) from None

    async def _call(self, request: Request, served: Served) -> None:
        is_text = request.kind.startswith(TEXT)
        is_framed = request.kind not in UNARY
        body = self._body(request, is_framed=is_framed, is_text=is_text)

        async def receive() -> Message:
            try:
                return await body()
            except Ended as ended:
                self._door.calls.records.turned_away(served.name, ended.status)
                raise as_connect_error(ended.status) from None

        call = Call(served, request.headers, request.peer, request.cut)
        CALL.set(call)
        try:
            await self._calls(
                {**request.scope, "headers": call_headers(request, BINARY if is_text else "")},
                receive,
                api(as_text(request.send, TEXT_SENT) if is_text else request.send),
            )
        finally:
            if call.give_back is not None:
                call.give_back()


def _accepted(served: Served) -> tuple[str, ...]:
    """In which content types a method may be called."""
    return (*(STREAM if served.sends_stream else UNARY), *GRPC_WEB)
