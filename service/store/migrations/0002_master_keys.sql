-- Which master key wraps the running epochs: the public id of each that was taken into use, the
-- newest last.  A service with another key cannot open them, and must not begin to write here.

CREATE TABLE kartejo.master_key (
  number   integer     PRIMARY KEY CHECK (number > 0),
  id       bytea       NOT NULL CHECK (octet_length(id) = 8),
  taken_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

GRANT SELECT, INSERT ON kartejo.master_key TO kartejo_writer;
