-- A process says that it lives in one row of its own, however many tables it keeps clocks for: its
-- leases last as long as that row.  Unlogged, since nothing is lost with it: after a crash of the
-- server every process says again that it lives, and takes its leases again.

DROP TABLE kartejo.lease;

CREATE UNLOGGED TABLE kartejo.lease_owner (
  lane       smallint    NOT NULL,
  owner      uuid        NOT NULL,
  expires_at timestamptz NOT NULL,               -- the database's clock: hosts need not agree
  PRIMARY KEY (lane, owner)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Who arms timers for a stream.
CREATE UNLOGGED TABLE kartejo.lease (
  lane   smallint NOT NULL,
  stream uuid     NOT NULL,
  owner  uuid     NOT NULL,
  PRIMARY KEY (lane, stream)
);
CREATE INDEX lease_of_owner ON kartejo.lease (lane, owner);

GRANT SELECT, INSERT, UPDATE, DELETE ON kartejo.lease_owner, kartejo.lease TO kartejo_writer;
