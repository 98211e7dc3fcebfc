"""Who calls: tokens, roles, principals, and where the keys lie."""

from service.identity.claims import BadToken, Claims, TokenFault, is_subject
from service.identity.files import SecretFiles
from service.identity.key_ring import ISSUER, LAB_ISSUER, KeyRing
from service.identity.principal import IdentityMap, MemoryIdentityMap, Principal, identify
from service.identity.remembered import RememberedIdentities
from service.identity.roles import Role
from service.identity.tokens import Tokens

__all__ = [
    "ISSUER",
    "LAB_ISSUER",
    "BadToken",
    "Claims",
    "IdentityMap",
    "KeyRing",
    "MemoryIdentityMap",
    "Principal",
    "RememberedIdentities",
    "Role",
    "SecretFiles",
    "TokenFault",
    "Tokens",
    "identify",
    "is_subject",
]
