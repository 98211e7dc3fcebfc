"""Keys, epochs and sealing: what keeps a hidden card hidden, and a shuffle fixed.

docs/decisions/0005-epochs-and-sealing.md says why, docs/shuffle-vectors.md gives every byte.
"""

from service.vault.epochs import SALT_SIZE, EpochKeys, commitment_to, shuffle_salt
from service.vault.master_key import MasterKey
from service.vault.positions import PlaceProof, prove_places, root_of_places
from service.vault.seal import SlotSealer, open_snapshot, seal_snapshot
from service.vault.secret import Secret
from service.vault.secret_file import KeyFileError
from service.vault.shuffler import EpochShuffler

__all__ = [
    "SALT_SIZE",
    "EpochKeys",
    "EpochShuffler",
    "KeyFileError",
    "MasterKey",
    "PlaceProof",
    "Secret",
    "SlotSealer",
    "commitment_to",
    "open_snapshot",
    "prove_places",
    "root_of_places",
    "seal_snapshot",
    "shuffle_salt",
]
