"""Plays a game of Royal Flush.  KARTEJO_TOKEN: a token of the role player."""

import os
from functools import partial
from uuid import uuid4

import grpc

from service.pb import table_service_pb2 as pb
from service.pb.table_service_pb2_grpc import TableServiceStub

tables = TableServiceStub(grpc.insecure_channel(os.getenv("KARTEJO_ADDRESS", "127.0.0.1:50100")))
me = [("authorization", "Bearer " + os.environ["KARTEJO_TOKEN"])]


def ask(method, kind, **what):  # the same request_id may be sent again: it takes effect once
    return method(kind(request_id=uuid4().hex, **what), metadata=me, timeout=10)


table = ask(tables.CreateTable, pb.CreateTableRequest, game="royal_flush").table.table_id
act = partial(ask, tables.SubmitAction, pb.SubmitActionRequest, table_id=table)
act(action={"common": {"take_seat": {"chips": 0}}})
state = ask(tables.StartHand, pb.StartHandRequest, table_id=table).state
step = {"royal_flush": {"auto_play": {"scope": "step"}}}
while (now := state.decision).hand:
    state = act(action=step, hand=now.hand, decision=now.number).state
    print(state.text, end="\n\n")
