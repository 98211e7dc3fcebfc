"""The load generator behind ``kartejo load``: many tables played by bots, then held to account.

``plan`` says what is played, ``pace`` when; a ``worker`` process plays the tables of its share over
its own connections (``tables``, ``lines``) and keeps a ``journal`` of everything it was told; the
``fleet`` starts the workers and adds up what they measure; ``verifying`` compares the journals with
what is stored, read back by ``reading``; ``result``, ``page`` and ``plots`` tell what came of it.
"""
