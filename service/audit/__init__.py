"""The auditor who has the store, and the keys where he has them: everything checked once more.

findings     what was found, and what was looked at
chain        versions, hashes and shapes of one stream
secrets      the secrets of its epochs, unwrapped or told
deciding     a commit decided again from its action
unopened     a commit that nothing opens: what is public of it
reading      events as far as they can be read, and how two differ
tables       a table's stream: decisions, chips, cards, epochs
transfers    chips between tables and accounts
accounts     an account's stream
rows         projections beside a stream
snapshots    snapshots beside a stream
streams      one stream, from wherever its commits come
accesses     a stream of recorded looks
log          the log as a whole: positions and groups
checkpoints  the log against what was signed of it
strays       rows that belong nowhere
source       where commits come from
database     a store in PostgreSQL
export       a complete export
whole        all streams, in one process or many
on_ray       their parts on a Ray cluster
"""
