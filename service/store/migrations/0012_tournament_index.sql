-- Projection: the list of tournaments.
CREATE TABLE kartejo.tournament_index (
  lane       smallint NOT NULL,
  build      integer  NOT NULL,
  stream     uuid     NOT NULL,
  name       text     NOT NULL,
  game       text     NOT NULL,
  format     text     NOT NULL,
  host       text     NOT NULL,
  phase      smallint NOT NULL,                      -- engine.tournament.state.Phase
  entries    integer  NOT NULL,                      -- that have a place
  waits      jsonb    NOT NULL,                      -- numbers of those that wait for one
  created_at bigint   NOT NULL,                      -- microseconds since the Unix epoch
  started_at bigint,
  ended_at   bigint,
  position   bigint   NOT NULL,                      -- of the last commit that moved the row
  PRIMARY KEY (lane, build, stream)
);
CREATE INDEX tournament_index_newest
  ON kartejo.tournament_index (lane, build, created_at, stream);

GRANT SELECT, INSERT, UPDATE, DELETE ON kartejo.tournament_index TO kartejo_writer;
GRANT SELECT ON kartejo.tournament_index TO kartejo_reader;
