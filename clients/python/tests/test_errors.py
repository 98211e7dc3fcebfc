"""What failures become, with and without a word of the service."""

from __future__ import annotations

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from google.rpc.status_pb2 import Status

import kartejo_client as k
from kartejo_client.channel import renews
from kartejo_client.errors import error_of


class Failed:
    """A failure as grpc tells it."""

    def __init__(self, code: grpc.StatusCode, details: str | None, trailers: object) -> None:
        self.code = lambda: code
        self.details = lambda: details
        self.trailing_metadata = lambda: trailers


def test_a_status_tells_reason_field_and_expectation() -> None:
    status = Status(code=3, message="options.seats: a number, not x")
    info = ErrorInfo(reason="BAD_PARAMETER", domain="kartejo", metadata={"option": "seats"})
    status.details.add().Pack(info)
    wrong = BadRequest.FieldViolation(field="options.seats", description="a number")
    status.details.add().Pack(BadRequest(field_violations=[wrong]))
    told = (("grpc-status-details-bin", status.SerializeToString()),)
    error = error_of(Failed(grpc.StatusCode.INVALID_ARGUMENT, "cut", told))
    assert type(error) is k.InvalidRequest
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "BAD_PARAMETER")
    assert (error.field, error.expected) == ("options.seats", "a number")
    assert error.metadata == {"option": "seats"}
    assert str(error) == "options.seats: a number, not x"
    assert error.retry_seconds is None


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("FAILED_PRECONDITION", k.Refused),
        ("INVALID_ARGUMENT", k.InvalidRequest),
        ("ABORTED", k.Conflict),
        ("ALREADY_EXISTS", k.RequestIdReused),
        ("NOT_FOUND", k.NotFound),
        ("PERMISSION_DENIED", k.Denied),
        ("UNAUTHENTICATED", k.Unauthenticated),
        ("RESOURCE_EXHAUSTED", k.Exhausted),
        ("UNAVAILABLE", k.Unavailable),
        ("DEADLINE_EXCEEDED", k.Unavailable),
        ("CANCELLED", k.Unavailable),
        ("DATA_LOSS", k.KartejoError),
        ("INTERNAL", k.KartejoError),
    ],
)
@pytest.mark.parametrize("trailers", [None, ()])
def test_the_library_alone_has_spoken(code, kind, trailers) -> None:
    error = error_of(Failed(grpc.StatusCode[code], None, trailers))
    assert type(error) is kind
    assert (error.code, error.reason, str(error)) == (code, "", code)


def test_a_code_that_does_not_exist_is_an_error_too() -> None:
    assert k.error_of_status(Status(code=99, message="?")).code == "UNKNOWN"


def test_only_a_function_mends_a_token_that_has_ended() -> None:
    def ended(reason: str) -> k.KartejoError:
        status = Status(code=grpc.StatusCode.UNAUTHENTICATED.value[0])
        status.details.add().Pack(ErrorInfo(reason=reason, domain="kartejo"))
        return k.error_of_status(status)

    assert renews(lambda: "another", ended("TOKEN_EXPIRED"))
    assert not renews("the same", ended("TOKEN_EXPIRED"))
    assert not renews(lambda: "another", ended("BAD_TOKEN"))
