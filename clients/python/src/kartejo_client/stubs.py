"""All services of the contract on one connection."""

from __future__ import annotations

import grpc
import grpc.aio

from kartejo_client.pb.account_service_pb2_grpc import AccountServiceStub
from kartejo_client.pb.audit_service_pb2_grpc import AuditServiceStub
from kartejo_client.pb.export_service_pb2_grpc import ExportServiceStub
from kartejo_client.pb.game_service_pb2_grpc import GameServiceStub
from kartejo_client.pb.investigation_service_pb2_grpc import InvestigationServiceStub
from kartejo_client.pb.lab_service_pb2_grpc import LabServiceStub
from kartejo_client.pb.odds_service_pb2_grpc import OddsServiceStub
from kartejo_client.pb.person_service_pb2_grpc import PersonServiceStub
from kartejo_client.pb.replay_service_pb2_grpc import ReplayServiceStub
from kartejo_client.pb.table_service_pb2_grpc import TableServiceStub
from kartejo_client.pb.tournament_service_pb2_grpc import TournamentServiceStub

__all__ = ["AsyncStubs", "Stubs"]


class Stubs:
    """For calls that block."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.accounts = AccountServiceStub(channel)
        self.audits = AuditServiceStub(channel)
        self.exports = ExportServiceStub(channel)
        self.games = GameServiceStub(channel)
        self.investigations = InvestigationServiceStub(channel)
        self.labs = LabServiceStub(channel)
        self.odds = OddsServiceStub(channel)
        self.persons = PersonServiceStub(channel)
        self.replays = ReplayServiceStub(channel)
        self.tables = TableServiceStub(channel)
        self.tournaments = TournamentServiceStub(channel)


class AsyncStubs:
    """For calls that are awaited."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.accounts = AccountServiceStub(channel)
        self.audits = AuditServiceStub(channel)
        self.exports = ExportServiceStub(channel)
        self.games = GameServiceStub(channel)
        self.investigations = InvestigationServiceStub(channel)
        self.labs = LabServiceStub(channel)
        self.odds = OddsServiceStub(channel)
        self.persons = PersonServiceStub(channel)
        self.replays = ReplayServiceStub(channel)
        self.tables = TableServiceStub(channel)
        self.tournaments = TournamentServiceStub(channel)
