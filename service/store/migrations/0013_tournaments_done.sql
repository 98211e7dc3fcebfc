-- Tournaments at which nothing is left to do, for good: over, paid, all tables closed and told.  It
-- follows from their streams; whoever starts need not read those of years to know it.
CREATE TABLE kartejo.tournament_done (
  lane   smallint NOT NULL,
  stream uuid     NOT NULL,
  PRIMARY KEY (lane, stream)
);

GRANT SELECT, INSERT ON kartejo.tournament_done TO kartejo_writer;
GRANT SELECT ON kartejo.tournament_done TO kartejo_reader;
