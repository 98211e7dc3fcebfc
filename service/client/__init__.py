"""A client of a running service: connection, retries, seats at tables, the stage of scripts.

What the command line uses; a client in another language needs nothing of it but the contract in
``proto/kartejo/v1``.
"""

from __future__ import annotations

from service.client.connection import Client
from service.client.endpoint import Endpoint
from service.client.errors import error_of
from service.client.lab_stage import LabStage
from service.client.sitting import Sitting

__all__ = ["Client", "Endpoint", "LabStage", "Sitting", "error_of"]
