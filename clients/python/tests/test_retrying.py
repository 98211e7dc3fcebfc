"""When a failed call is sent again, and when no more."""

from __future__ import annotations

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from kartejo_client import Conflict, Exhausted, KartejoError, Patience, Refused, Unavailable
from kartejo_client.errors import error_of_status
from kartejo_client.retrying import Attempts


def failure(code: grpc.StatusCode, retry_ms: int | None = None) -> KartejoError:
    status = Status(code=code.value[0])
    if retry_ms is not None:
        delay = Duration()
        delay.FromMilliseconds(retry_ms)
        status.details.add().Pack(RetryInfo(retry_delay=delay))
    return error_of_status(status)


AWAY = failure(grpc.StatusCode.UNAVAILABLE)


class Stage:
    """Attempts whose time passes when the test says so, and whose chance takes nothing off."""

    def __init__(self, **patience: float) -> None:
        self.now = 1_000.0
        self.attempts = Attempts(Patience(**patience), lambda: self.now, lambda: 0.0)

    def pause(self, error: KartejoError = AWAY, **how: bool) -> float:
        seconds = self.attempts.pause_after(error, **how)
        self.now += seconds
        return seconds


def test_pauses_double_up_to_two_seconds() -> None:
    stage = Stage(total=60)
    assert [stage.pause() for _ in range(8)] == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]


def test_chance_takes_up_to_half_of_a_pause() -> None:
    attempts = Attempts(Patience(), lambda: 0.0, lambda: 1.0)
    assert attempts.pause_after(AWAY) == 0.025


def test_time_that_the_service_asks_for_is_kept() -> None:
    stage = Stage(total=60)
    assert stage.pause(failure(grpc.StatusCode.RESOURCE_EXHAUSTED, 700)) == 0.7
    assert stage.pause(failure(grpc.StatusCode.UNAVAILABLE, 5_000)) == 5.0


def test_patience_ends_with_the_error_of_the_last_attempt() -> None:
    stage = Stage(total=0.3)
    stage.pause()
    stage.pause()
    with pytest.raises(Unavailable):
        stage.pause()
    assert stage.now == pytest.approx(1_000.15)


def test_waiting_that_patience_does_not_reach_is_not_begun() -> None:
    stage = Stage(total=4)
    with pytest.raises(Exhausted):
        stage.pause(failure(grpc.StatusCode.RESOURCE_EXHAUSTED, 5_000))


def test_whoever_has_no_patience_tries_once() -> None:
    with pytest.raises(Unavailable):
        Stage(total=0).pause()


def test_patience_begins_with_the_first_failure_not_with_the_watch() -> None:
    stage = Stage(total=1)
    stage.now += 3_600
    assert stage.pause() == 0.05
    stage.attempts.answered()
    stage.now += 3_600
    assert stage.pause() == 0.05


@pytest.mark.parametrize(
    ("code", "retry_ms", "kind"),
    [
        (grpc.StatusCode.FAILED_PRECONDITION, None, Refused),
        (grpc.StatusCode.ABORTED, 0, Conflict),  # decide anew, do not repeat
        (grpc.StatusCode.RESOURCE_EXHAUSTED, None, Exhausted),  # a message too large stays so
    ],
)
def test_what_repeating_cannot_mend_is_raised_at_once(
    code: grpc.StatusCode, retry_ms: int | None, kind: type[KartejoError]
) -> None:
    with pytest.raises(kind):
        Stage().pause(failure(code, retry_ms))


def test_a_caller_may_know_better() -> None:
    error = failure(grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert Stage().pause(error, repeats=True) == 0.05


def test_deadlines_are_a_calls_own_and_shrink_with_patience() -> None:
    stage = Stage(call=10, total=12)
    assert stage.attempts.seconds == 10
    stage.pause()
    stage.now += 10
    assert stage.attempts.seconds == pytest.approx(1.95)
    stage.now += 10
    assert stage.attempts.seconds == 0.1
