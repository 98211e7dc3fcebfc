"""Requests of the everyday calls, and what goes with every request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import uuid4

from google.protobuf.message import Message

from kartejo_client.offers import action
from kartejo_client.pb import games_pb2
from kartejo_client.pb import table_service_pb2 as pb

__all__ = ["acting", "making", "new_request_id", "take_seat", "with_request_id"]

M = TypeVar("M", bound=Message)


def new_request_id() -> str:
    """An id for a changing request; the same one goes with every repetition of it."""
    return uuid4().hex


def with_request_id(request: M) -> M:
    """The request; if it takes a request id and has none, a copy with a new one.

    >>> with_request_id(pb.GetTableRequest(table_id="a")) == pb.GetTableRequest(table_id="a")
    True
    >>> len(with_request_id(pb.StartHandRequest(table_id="a")).request_id)
    32
    """
    asks: Any = request
    if "request_id" not in request.DESCRIPTOR.fields_by_name or asks.request_id:
        return request
    asks = type(request)()
    asks.CopyFrom(request)
    asks.request_id = new_request_id()
    copy: M = asks
    return copy


def making(
    game: str,
    options: Mapping[str, str] | None,
    house: Mapping[str, str] | None,
    start: Mapping[str, str] | None,
) -> pb.CreateTableRequest:
    """The request for a table."""
    return pb.CreateTableRequest(
        game=game, options=options or {}, house_options=house or {}, start=start or {}
    )


def take_seat(table_id: str, seat: int, chips: int) -> pb.SubmitActionRequest:
    """The request to sit down: it answers no decision."""
    sitting = action("common", "take_seat", chips=chips)
    return pb.SubmitActionRequest(table_id=table_id, seat=seat, action=sitting)


def acting(
    state: pb.TableState, seat: int, does: games_pb2.Action, request_id: str = ""
) -> pb.SubmitActionRequest:
    """The request to act on what a state shows: it names the state's decision, if there is one."""
    request = pb.SubmitActionRequest(
        request_id=request_id, table_id=state.table_id, seat=seat, action=does
    )
    if state.HasField("decision"):
        request.hand = state.decision.hand
        request.decision = state.decision.number
    return request
