-- Projection: what every player won and lost in every hand, and from whom.

-- Where it stands at each table.
CREATE TABLE kartejo.result_table (
  lane    smallint NOT NULL,
  build   integer  NOT NULL,
  stream  uuid     NOT NULL,
  version integer  NOT NULL,
  game    text     NOT NULL,
  lab     boolean  NOT NULL,
  known   jsonb    NOT NULL,                         -- who sits there, the pot, the newest hand
  PRIMARY KEY (lane, build, stream)
);

CREATE TABLE kartejo.result_hand (
  lane       smallint NOT NULL,
  build      integer  NOT NULL,
  stream     uuid     NOT NULL,
  hand       integer  NOT NULL CHECK (hand >= 0),    -- 0: before the first one
  game       text     NOT NULL,
  started_at bigint   NOT NULL,                      -- microseconds since the Unix epoch
  ended_at   bigint   NOT NULL,
  over       boolean  NOT NULL,
  most       bigint   NOT NULL,                      -- what somebody won or lost, at most
  PRIMARY KEY (lane, build, stream, hand)
);
CREATE INDEX result_hand_newest
  ON kartejo.result_hand (lane, build, started_at, stream, hand, most);
CREATE INDEX result_hand_table ON kartejo.result_hand (lane, build, stream, started_at, hand);
CREATE INDEX result_hand_most ON kartejo.result_hand (lane, build, most);

CREATE TABLE kartejo.result_player (
  lane       smallint NOT NULL,
  build      integer  NOT NULL,
  player     uuid     NOT NULL,
  started_at bigint   NOT NULL,
  stream     uuid     NOT NULL,
  hand       integer  NOT NULL,
  net        bigint   NOT NULL,                      -- chips won; negative: lost
  PRIMARY KEY (lane, build, player, started_at, stream, hand)
);
CREATE INDEX result_player_hand ON kartejo.result_player (lane, build, stream, hand);

-- Chips between two players of a hand, the lower id first.
CREATE TABLE kartejo.result_move (
  lane   smallint NOT NULL,
  build  integer  NOT NULL,
  stream uuid     NOT NULL,
  hand   integer  NOT NULL,
  low    uuid     NOT NULL,
  high   uuid     NOT NULL,
  chips  bigint   NOT NULL,                          -- from low to high; negative: back
  PRIMARY KEY (lane, build, stream, hand, low, high)
);

-- Sums of the hands that two players shared, by game and by the day on which they began (UTC).
CREATE TABLE kartejo.result_pair (
  lane     smallint NOT NULL,
  build    integer  NOT NULL,
  low      uuid     NOT NULL,
  high     uuid     NOT NULL,
  game     text     NOT NULL,
  day      integer  NOT NULL,                        -- since the Unix epoch
  hands    bigint   NOT NULL,
  up       numeric  NOT NULL,                        -- chips from low to high
  down     numeric  NOT NULL,                        -- chips from high to low
  expected numeric  NOT NULL,                        -- this and what follows:
  won      numeric  NOT NULL,                        -- service/projections/pair_sums.py
  moved    numeric  NOT NULL,
  usual    numeric  NOT NULL,
  drift    numeric  NOT NULL,
  spread   numeric  NOT NULL,
  PRIMARY KEY (lane, build, low, high, game, day)
);
CREATE INDEX result_pair_day ON kartejo.result_pair (lane, build, day);
CREATE INDEX result_pair_high ON kartejo.result_pair (lane, build, high);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON kartejo.result_table, kartejo.result_hand, kartejo.result_player, kartejo.result_move,
     kartejo.result_pair
  TO kartejo_writer;
GRANT SELECT
  ON kartejo.result_table, kartejo.result_hand, kartejo.result_player, kartejo.result_move,
     kartejo.result_pair
  TO kartejo_reader;
