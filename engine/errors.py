"""The errors of Kartejo: few classes, told apart by what a caller does next.

::

    KartejoError
    ├── Refused(reason, **detail)    the rules say no; state unchanged        FAILED_PRECONDITION
    ├── Malformed(field, why)        the request makes no sense by itself     INVALID_ARGUMENT
    ├── Conflict(what)               somebody was faster; reload, try again   ABORTED
    ├── Reused(request_id)           same request id, other content           ALREADY_EXISTS
    ├── Unknown(what)                no such table, hand, player, or not      NOT_FOUND
    │                                for this caller to know of
    ├── Denied(why)                  known caller, not allowed                PERMISSION_DENIED
    ├── Unauthenticated(why)         no caller at all                         UNAUTHENTICATED
    ├── Exhausted(what)              a limit was reached                      RESOURCE_EXHAUSTED
    ├── Corrupt(where)               stored bytes contradict themselves       DATA_LOSS
    └── Unavailable(why, retry_ms)   nothing is known to be done; try later   UNAVAILABLE

Texts are for people and built at the edge; programs (and tests) compare ``reason``.
No error may depend on a card its caller may not see.
"""

from __future__ import annotations

__all__ = [
    "Conflict",
    "Corrupt",
    "Denied",
    "Exhausted",
    "KartejoError",
    "Malformed",
    "Refused",
    "Reused",
    "Unauthenticated",
    "Unavailable",
    "Unknown",
]


class KartejoError(Exception):
    """Base of all errors that a caller of Kartejo may meet."""

    reason: str = "INTERNAL"


class Refused(KartejoError):
    """The rules refuse an action; nothing has changed (rules C7).

    ``reason`` is the UPPER_SNAKE word of the rule specification.  ``detail`` holds facts that
    the caller may see: what was expected, which bound was passed.
    """

    def __init__(self, reason: str, **detail: object) -> None:
        self.reason = str(reason)
        self.detail = detail
        told = ", ".join(f"{key}={value}" for key, value in detail.items())
        super().__init__(f"{self.reason} ({told})" if told else self.reason)


class Malformed(KartejoError):
    """A request that makes no sense by itself: which field, and what was expected."""

    reason = "MALFORMED"

    def __init__(self, field: str, why: str) -> None:
        self.field = field
        self.why = why
        super().__init__(f"{field}: {why}")


class Conflict(KartejoError):
    """Somebody was faster: reload, decide again."""

    reason = "CONFLICT"


class Reused(KartejoError):
    """A request id came back with other content."""

    reason = "REQUEST_ID_REUSED"


class Unknown(KartejoError):
    """No such thing, or nothing this caller may know of: the two answer alike."""

    reason = "NOT_FOUND"


class Denied(KartejoError):
    """The caller is known and may not do this."""

    reason = "PERMISSION_DENIED"


class Unauthenticated(KartejoError):
    """No valid token came with the request."""

    reason = "UNAUTHENTICATED"


class Exhausted(KartejoError):
    """A limit was reached; ``retry_ms`` says when to try again (0: not by waiting)."""

    reason = "RESOURCE_EXHAUSTED"

    def __init__(self, what: str, retry_ms: int = 0) -> None:
        self.retry_ms = retry_ms
        super().__init__(what)


class Corrupt(KartejoError):
    """Stored bytes contradict themselves.  Stop and look; never guess."""

    reason = "CORRUPT"


class Unavailable(KartejoError):
    """Not now, and nothing is known to be done; the same request may be sent again."""

    reason = "UNAVAILABLE"

    def __init__(self, why: str, retry_ms: int = 1_000) -> None:
        self.retry_ms = retry_ms
        super().__init__(why)
