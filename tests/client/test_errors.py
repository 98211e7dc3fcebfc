"""What a service refuses with is what its client raises."""

from __future__ import annotations

import grpc
import pytest

from engine.errors import (
    Conflict,
    Corrupt,
    Denied,
    Exhausted,
    KartejoError,
    Malformed,
    Refused,
    Reused,
    Unauthenticated,
    Unavailable,
    Unknown,
)
from service.client.errors import error_of, error_of_status
from service.host.clocks import StaleDecision
from service.identity import BadToken, TokenFault
from service.rpc.status import internal_status, status_of

ERRORS = (
    Refused("PILE_OUT_OF_ORDER", pile="3", next="2"),
    Refused("NOT_SEATED"),
    Malformed("seat", "expected a number"),
    Conflict("somebody was faster"),
    StaleDecision("another decision is awaited"),
    Reused("this request_id stands for another request"),
    Unknown("no such table"),
    Denied("this is for the host of the table"),
    Unauthenticated("no token"),
    BadToken(TokenFault.EXPIRED),
    Exhausted("too many tables", 250),
    Unavailable("the database cannot be reached", 1500),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_class_reason_and_text_survive_the_wire(error: KartejoError) -> None:
    """Details of refusals, fields and pauses too; special errors arrive as their base class."""
    back = error_of_status(status_of(error))
    assert type(back) in type(error).__mro__
    assert type(back) is not KartejoError
    assert back.reason == error.reason
    assert str(back) == str(error)
    for name in ("detail", "field", "why", "retry_ms"):
        assert getattr(back, name, None) == getattr(error, name, None)


def test_a_damaged_record_tells_the_client_nothing_of_it() -> None:
    back = error_of_status(status_of(Corrupt("stream 7, version 9")))
    assert type(back) is Corrupt
    assert "stream" not in str(back)


@pytest.mark.parametrize("code", ["CANCELLED", "INTERNAL", "UNKNOWN"])
def test_a_call_that_was_cut_off_is_worth_another_try(code: str) -> None:
    """Without a word of the service, from gRPC itself: nothing is known to be done."""
    nothing = grpc.aio.Metadata()
    failure = grpc.aio.AioRpcError(grpc.StatusCode[code], nothing, nothing, "RST_STREAM")
    error = error_of(failure)
    assert type(error) is Unavailable
    assert str(error) == "RST_STREAM"


def test_a_fault_that_the_service_tells_of_is_one() -> None:
    back = error_of_status(internal_status())
    assert type(back) is KartejoError
    assert back.reason == "INTERNAL"
