import os, uuid, grpc
from service.pb import table_service_pb2 as pb, table_service_pb2_grpc as rpc

tables = rpc.TableServiceStub(grpc.insecure_channel(os.environ.get("KARTEJO", "127.0.0.1:50100")))
call = {"metadata": [("authorization", "Bearer " + os.environ["TOKEN"])], "timeout": 10}
new = lambda: uuid.uuid4().hex  # a request id: the same id may be sent again and takes effect once
table = tables.CreateTable(pb.CreateTableRequest(request_id=new(), game="royal_flush"), **call).table.table_id
act = lambda action, **now: tables.SubmitAction(pb.SubmitActionRequest(request_id=new(), table_id=table, action=action, **now), **call).state
act({"common": {"take_seat": {"chips": 0}}})
state = tables.StartHand(pb.StartHandRequest(request_id=new(), table_id=table), **call).state
while state.HasField("decision"):
    state = act({"royal_flush": {"auto_play": {"scope": "step"}}}, hand=state.decision.hand, decision=state.decision.number)
    print(state.text, end="\n\n")
