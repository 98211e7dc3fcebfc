-- The transparency log: one Merkle tree over all commits, and what was signed of it.

-- Projection: the hashes of the tree, in tiles of eight levels.  Tile (level, number) holds the
-- hashes at height 8 * level of the tree, from index 256 * number on, 32 bytes each.
CREATE TABLE kartejo.log_tile (
  lane   smallint NOT NULL,
  build  integer  NOT NULL,
  level  smallint NOT NULL CHECK (level >= 0),
  number bigint   NOT NULL CHECK (number >= 0),
  hashes bytea    NOT NULL CHECK (octet_length(hashes) BETWEEN 32 AND 8192
                                  AND octet_length(hashes) % 32 = 0),
  PRIMARY KEY (lane, build, level, number)
) WITH (fillfactor = 50);
-- Hashes cannot be compressed: do not try.
ALTER TABLE kartejo.log_tile ALTER COLUMN hashes SET STORAGE EXTERNAL;

-- What was signed: one series, each made from the one before it, never smaller.
CREATE TABLE kartejo.checkpoint (
  lane      smallint    NOT NULL,
  number    bigint      NOT NULL CHECK (number > 0),
  size      bigint      NOT NULL CHECK (size > 0),
  root      bytea       NOT NULL CHECK (octet_length(root) = 32),
  frontier  bytea       NOT NULL,                -- the tree's complete subtrees, from the largest
  key       text        NOT NULL,                -- who signed: a verifier key
  note      text        NOT NULL,
  signed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (lane, number)
);
CREATE INDEX checkpoint_size ON kartejo.checkpoint (lane, size, number);

-- Whose signatures these are: the verifier key of each signer that was taken into use, the newest
-- last.  The key itself never lies in the database.
CREATE TABLE kartejo.log_key (
  number   integer     PRIMARY KEY CHECK (number > 0),
  key      text        NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON kartejo.checkpoint
  FOR EACH STATEMENT EXECUTE FUNCTION kartejo.refuse();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON kartejo.log_key
  FOR EACH STATEMENT EXECUTE FUNCTION kartejo.refuse();

GRANT SELECT, INSERT, UPDATE, DELETE ON kartejo.log_tile TO kartejo_writer;
GRANT SELECT, INSERT ON kartejo.checkpoint, kartejo.log_key TO kartejo_writer;
GRANT SELECT ON kartejo.log_tile, kartejo.checkpoint, kartejo.log_key TO kartejo_reader;
