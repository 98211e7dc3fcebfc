"""The event store: commits in PostgreSQL, appended in groups, followed without a gap.

=================  ==================================================================
commit             the stored unit: body, hash chain; the format on disk
postgres           ``Store``: append, read, follow
migrate            the schema, on any PostgreSQL from 15 on
embedded           ``launch``: a PostgreSQL of our own, for who has none
snapshots          sealed states to start a replay from
principals         (issuer, subject) to internal ids, erasable
leases             who arms timers for a stream
progress           how far each consumer of the log has come
table_index        rows of projections: the list of tables
tournament_index   the list of tournaments
hand_index         … the hands of tables, and who played them
ledger             … the changes of accounts
results            … what was won in each hand, and from whom
errors             what the store adds to engine.errors
=================  ==================================================================

Everything else is theirs: writer (group commit), log (statements of the commit table), follow,
hints, connection, arrays; account, binaries, cluster, leftovers, places and trampoline.
"""
