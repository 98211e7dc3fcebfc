-- Who audits needs to read, and nothing else: snapshots are sealed, and of master keys there are
-- public ids, and former keys wrapped by those that follow them.

GRANT SELECT ON kartejo.snapshot, kartejo.master_key TO kartejo_reader;
