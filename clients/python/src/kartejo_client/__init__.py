"""Play, watch and host card games of a Kartejo service.

``Client`` blocks, ``AsyncClient`` is awaited; both send again what got no answer, and go on with a
watch where it was.  The messages are in ``kartejo_client.pb``, one module for each file of the
contract.
"""

from kartejo_client.aio import AsyncClient
from kartejo_client.blocking import Client
from kartejo_client.errors import (
    Conflict,
    Denied,
    Exhausted,
    InvalidRequest,
    KartejoError,
    NotFound,
    Refused,
    RequestIdReused,
    Unauthenticated,
    Unavailable,
    error_of_status,
)
from kartejo_client.offers import action, game_of, is_asked, limits, offers_of, random_action
from kartejo_client.requests import new_request_id
from kartejo_client.retrying import Patience

__all__ = [
    "AsyncClient",
    "Client",
    "Conflict",
    "Denied",
    "Exhausted",
    "InvalidRequest",
    "KartejoError",
    "NotFound",
    "Patience",
    "Refused",
    "RequestIdReused",
    "Unauthenticated",
    "Unavailable",
    "action",
    "error_of_status",
    "game_of",
    "is_asked",
    "limits",
    "new_request_id",
    "offers_of",
    "random_action",
]
