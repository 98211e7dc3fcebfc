"""Tournaments under load: a field of bots enters one and plays it, in processes of their own.

``plan`` says what is played and who plays which part; the ``director`` makes the tournament, starts
it, looks at it, and ends it; a ``worker`` process plays its part of the ``player``\\ s, each over a
stream of its own, and keeps what they were told; ``verifying`` and ``reading`` hold that, and the
standings, against what is stored; ``killing`` ends the service now and then, and starts it again;
``result`` tells what came of it.
"""
