"""Holds a seat of Palace Poker on one Play stream: ``palace_seat.py TABLE SEAT CHIPS``.

Attacks with a pair in the palace, else stays; answers attacks with a pair, else folds.
KARTEJO_TOKEN: a token of the role player.
"""

import os
import sys
from queue import SimpleQueue
from uuid import uuid4

import grpc

from service.pb import table_service_pb2 as pb
from service.pb.table_service_pb2_grpc import TableServiceStub

table, seat, chips = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tables = TableServiceStub(grpc.insecure_channel(os.getenv("KARTEJO_ADDRESS", "127.0.0.1:50100")))
me = [("authorization", "Bearer " + os.environ["KARTEJO_TOKEN"])]
requests: SimpleQueue = SimpleQueue()


def act(action, decision=None):
    submit = pb.SubmitActionRequest(
        request_id=uuid4().hex, table_id=table, seat=seat, action=action
    )
    if decision is not None:  # a turn action names the decision it answers
        submit.hand, submit.decision = decision.hand, decision.number
    requests.put(pb.PlayRequest(submit=submit))


def choose(state):
    palace = state.view.palace_poker.palaces[seat].cards  # 1 to 52; of other seats: 0, 0, 0
    has_pair = len({(card - 1) % 13 for card in palace}) < 3
    offers = {
        offer.action: {limit.field: limit for limit in offer.limits} for offer in state.offers
    }
    if "muster" in offers:
        soldiers = offers["muster"]["discard"].cards
        return {"muster": {"discard": soldiers.cards[: soldiers.low]}}
    if "call" in offers:
        return {"call": {}} if has_pair else {"fold": {}}
    if "bet" in offers and (has_pair or "stay" not in offers):
        target = offers["bet"]["target"].range.low  # without an amount: at the price
        return {"bet": {"target": target}}
    return {"stay": {}}


requests.put(pb.PlayRequest(watch=pb.PlayRequest.Watch(table_id=table)))
act({"common": {"take_seat": {"chips": chips}}})
sits, answered = False, None
for response in tables.Play(iter(requests.get, None), metadata=me):
    if response.HasField("failed"):
        print(response.failed.status.message, file=sys.stderr)
        if not sits:
            break
    state = response.news.state
    if not response.news.live or not response.news.HasField("state"):
        continue  # the past, which is sent first
    if sits and seat not in state.seats:
        break
    sits = sits or seat in state.seats
    asked = (state.decision.hand, state.decision.number)
    if seat in state.decision.seats and asked != answered:
        print(state.text, end="\n\n")
        act({"palace_poker": choose(state)}, state.decision)
        answered = asked
