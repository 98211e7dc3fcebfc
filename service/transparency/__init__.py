"""The transparency log: one Merkle tree over all commits, signed, proved and witnessed.

Leaf number ``position - 1`` is the hash of the commit at that position, which covers everything
stored of it.

=================  ==================================================================
merkle             trees of RFC 6962: roots and proofs, made and verified
notes              signed notes and cosignatures of C2SP, and the keys for them
checkpoint         what a note of ours says: origin, size, root
tiles              the tree's hashes as a projection, and proofs from them
last_signed        a file beside the key that remembers the newest checkpoint
signer             signs the tree as it grows, after a second computation
complete           commits as they are stored, with proofs, under a signed note
witness            what a witness believes, and what it refuses
=================  ==================================================================
"""
