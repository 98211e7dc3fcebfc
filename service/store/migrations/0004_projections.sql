-- Projections are built beside the rows that readers see, and switched when they have caught up.
--
-- A build is one set of rows of a projection; its number stands in every row and is `version` of
-- its progress.  One build of a projection serves readers; others are being built, or have been
-- replaced and wait to be cleared away.

ALTER TABLE kartejo.progress
  ADD COLUMN revision   integer NOT NULL DEFAULT 0,  -- of the code that writes the rows
  ADD COLUMN state      text    NOT NULL DEFAULT 'building'
                        CHECK (state IN ('building', 'serving', 'retired')),
  ADD COLUMN worker     uuid,                        -- who moves it on, until held_until
  ADD COLUMN held_until timestamptz;
UPDATE kartejo.progress SET consumer = 'tables', state = 'serving'
 WHERE consumer = 'table_index' AND version = 1;
CREATE UNIQUE INDEX progress_serving ON kartejo.progress (lane, consumer) WHERE state = 'serving';

ALTER TABLE kartejo.table_index ADD COLUMN build integer NOT NULL DEFAULT 1;
ALTER TABLE kartejo.table_index ALTER COLUMN build DROP DEFAULT;
ALTER TABLE kartejo.table_index DROP CONSTRAINT table_index_pkey;
ALTER TABLE kartejo.table_index ADD PRIMARY KEY (lane, build, stream);
DROP INDEX kartejo.table_index_newest, kartejo.table_index_game;
CREATE INDEX table_index_newest ON kartejo.table_index (lane, build, created_at, stream);
CREATE INDEX table_index_game ON kartejo.table_index (lane, build, game, created_at, stream);
CREATE INDEX table_index_running ON kartejo.table_index (lane, build, stream) WHERE running;

-- Projection: the hands of every table.
CREATE TABLE kartejo.hand_index (
  lane          smallint   NOT NULL,
  build         integer    NOT NULL,
  stream        uuid       NOT NULL,
  hand          integer    NOT NULL CHECK (hand > 0),
  game          text       NOT NULL,
  first_version integer    NOT NULL,                -- before its first event
  last_version  integer    NOT NULL,                -- after its last one so far
  started_at    bigint     NOT NULL,                -- microseconds since the Unix epoch
  ended_at      bigint     NOT NULL,                -- of its last event so far
  over          boolean    NOT NULL,
  seats         smallint[] NOT NULL,                -- who was dealt in, by seat …
  players       text[]     NOT NULL,                -- … and id, in the same order
  PRIMARY KEY (lane, build, stream, hand)
);

-- Where the hand index stands at each table: who sits there.
CREATE TABLE kartejo.hand_table (
  lane    smallint   NOT NULL,
  build   integer    NOT NULL,
  stream  uuid       NOT NULL,
  version integer    NOT NULL,
  game    text       NOT NULL,
  lab     boolean    NOT NULL,
  seats   smallint[] NOT NULL,
  players text[]     NOT NULL,
  PRIMARY KEY (lane, build, stream)
);

-- Who played which hands; tables of the laboratory are left out.
CREATE TABLE kartejo.hand_player (
  lane       smallint NOT NULL,
  build      integer  NOT NULL,
  player     uuid     NOT NULL,
  started_at bigint   NOT NULL,
  stream     uuid     NOT NULL,
  hand       integer  NOT NULL,
  seat       smallint NOT NULL,
  PRIMARY KEY (lane, build, player, started_at, stream, hand, seat)
);

-- Projection: every change of every account.
CREATE TABLE kartejo.ledger (
  lane        smallint NOT NULL,
  build       integer  NOT NULL,
  account     uuid     NOT NULL,                    -- the account's stream
  version     integer  NOT NULL,                    -- of that stream, after the change
  kind        text     NOT NULL,
  change      bigint   NOT NULL,
  balance     bigint   NOT NULL,                    -- after it
  at_table    uuid,
  seat        smallint,
  note        text     NOT NULL,
  recorded_at bigint   NOT NULL,
  PRIMARY KEY (lane, build, account, version)
);
CREATE INDEX ledger_table ON kartejo.ledger (lane, build, account, at_table, version)
  WHERE at_table IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE
  ON kartejo.hand_index, kartejo.hand_table, kartejo.hand_player, kartejo.ledger
  TO kartejo_writer;
GRANT SELECT ON kartejo.hand_index, kartejo.hand_table, kartejo.hand_player, kartejo.ledger
  TO kartejo_reader;
