-- The event store: one row per commit, side tables that can be thrown away, roles.
-- Runs as kartejo_owner, who owns the schema; the roles exist already (migrate.py).

CREATE TABLE kartejo.lane (
  lane smallint PRIMARY KEY,
  head bigint   NOT NULL DEFAULT 0 CHECK (head >= 0)  -- last position given out; no gaps below it
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

INSERT INTO kartejo.lane (lane) VALUES (0);

CREATE TABLE kartejo.commit (
  lane        smallint NOT NULL,
  stream      uuid     NOT NULL,
  version     integer  NOT NULL,                 -- after its last event
  count       integer  NOT NULL CHECK (count > 0),
  position    bigint   NOT NULL CHECK (position > 0),
  kind        smallint NOT NULL,
  command     bytea    NOT NULL CHECK (octet_length(command) = 16),
  group_id    bytea    NOT NULL CHECK (octet_length(group_id) = 16),
  digest      bytea    NOT NULL CHECK (octet_length(digest) = 32),
  actor_kind  smallint NOT NULL,
  actor       uuid,
  seat        smallint NOT NULL,                 -- -1: no seat acts
  action      bytea    NOT NULL,
  received_at bigint   NOT NULL,                 -- microseconds since the Unix epoch
  recorded_at bigint   NOT NULL,
  hand        integer  NOT NULL,                 -- 0 between hands
  epoch       integer  NOT NULL,
  rules       integer  NOT NULL,
  hash        bytea    NOT NULL CHECK (octet_length(hash) = 32),
  body        bytea    NOT NULL,
  CHECK (version >= count),
  PRIMARY KEY (lane, stream, version),
  CONSTRAINT commit_position UNIQUE (lane, position),
  CONSTRAINT commit_command UNIQUE (lane, stream, command)
);

-- Sealed boxes; each can be made again from the commits.
CREATE TABLE kartejo.snapshot (
  lane    smallint NOT NULL,
  stream  uuid     NOT NULL,
  rules   integer  NOT NULL,
  version integer  NOT NULL CHECK (version > 0),
  hash    bytea    NOT NULL CHECK (octet_length(hash) = 32),
  sealed  bytea    NOT NULL,
  PRIMARY KEY (lane, stream, rules, version)
);

-- How far each projection or subscriber has come; a rebuild is a new version beside the old.
CREATE TABLE kartejo.progress (
  lane     smallint NOT NULL,
  consumer text     NOT NULL,
  version  integer  NOT NULL,
  position bigint   NOT NULL CHECK (position >= 0),
  PRIMARY KEY (lane, consumer, version)
);

-- Who arms timers for a stream.  The database's clock, so that hosts need not agree on theirs.
CREATE TABLE kartejo.lease (
  lane       smallint    NOT NULL,
  stream     uuid        NOT NULL,
  owner      uuid        NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (lane, stream)
);
CREATE INDEX lease_expiry ON kartejo.lease (lane, expires_at);

-- The only place that knows whom an internal id stands for; rows may be erased.
CREATE TABLE kartejo.principal (
  lane       smallint    NOT NULL,
  issuer     text        NOT NULL,
  subject    text        NOT NULL,
  id         uuid        NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (lane, issuer, subject),
  CONSTRAINT principal_id UNIQUE (lane, id)
);

-- Projection: the list of tables.
CREATE TABLE kartejo.table_index (
  lane        smallint NOT NULL,
  stream      uuid     NOT NULL,
  game        text     NOT NULL,
  lab         boolean  NOT NULL,
  house       text     NOT NULL,                 -- house options as JSON text
  created_at  bigint   NOT NULL,                 -- microseconds since the Unix epoch
  closed_at   bigint,
  hand        integer  NOT NULL,
  running     boolean  NOT NULL,
  seats_taken integer  NOT NULL,
  seats       integer  NOT NULL,
  position    bigint   NOT NULL,                 -- of the commit that this row reflects
  PRIMARY KEY (lane, stream)
);
CREATE INDEX table_index_newest ON kartejo.table_index (lane, created_at, stream);
CREATE INDEX table_index_game ON kartejo.table_index (lane, game, created_at, stream);

-- Append groups of commits: all or nothing per group, positions gapless in commit order.
--
-- All arrays have one element per commit, a group's commits stand together and a stream stands
-- at most once in the call.  Winners get consecutive positions in the order sent, from
-- first_position on; `stored` is their number.  `lost` lists the commits (counted from 1) that
-- made their group lose, `lost_version` the version their stream stands at, and
-- `lost_duplicate` the version at which the stream already has this command (0: it has not).
CREATE FUNCTION kartejo.append(
    p_lane smallint, p_batch_group integer[],
    p_stream uuid[], p_kind smallint[], p_version integer[], p_count integer[],
    p_command bytea[], p_group bytea[], p_digest bytea[],
    p_actor_kind smallint[], p_actor uuid[], p_seat smallint[], p_action bytea[],
    p_received_at bigint[], p_recorded_at bigint[],
    p_hand integer[], p_epoch integer[], p_rules integer[], p_body bytea[], p_hash bytea[],
    OUT first_position bigint, OUT stored integer,
    OUT lost integer[], OUT lost_version integer[], OUT lost_duplicate integer[])
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $fn$
DECLARE
  sent       CONSTANT integer := cardinality(p_stream);
  before     bigint;
  bad_groups integer[];
BEGIN
  -- The row lock of the lane comes first: every later statement takes its snapshot after the
  -- lock was granted and so sees all that was committed in this lane.  One statement would not.
  UPDATE kartejo.lane SET head = head + sent WHERE lane.lane = p_lane
    RETURNING head - sent INTO before;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'unknown lane %', p_lane USING ERRCODE = 'no_data_found';
  END IF;

  SELECT array_agg(q.i), array_agg(q.current), array_agg(q.duplicate), array_agg(q.batch_group)
    INTO lost, lost_version, lost_duplicate, bad_groups
    FROM (SELECT u.i::integer AS i, u.batch_group, u.version - u.count AS expected,
                 coalesce((SELECT c.version FROM kartejo.commit c
                            WHERE c.lane = p_lane AND c.stream = u.stream
                            ORDER BY c.version DESC LIMIT 1), 0) AS current,
                 coalesce((SELECT c.version FROM kartejo.commit c
                            WHERE c.lane = p_lane AND c.stream = u.stream
                              AND c.command = u.command), 0) AS duplicate
            FROM unnest(p_batch_group, p_stream, p_version, p_count, p_command)
                 WITH ORDINALITY AS u(batch_group, stream, version, count, command, i)) q
   WHERE q.current <> q.expected OR q.duplicate > 0;

  IF lost IS NOT NULL THEN
    SELECT count(*) FILTER (WHERE g <> ALL (bad_groups)) INTO stored
      FROM unnest(p_batch_group) AS g;
    UPDATE kartejo.lane SET head = before + stored WHERE lane.lane = p_lane;
  END IF;

  INSERT INTO kartejo.commit (lane, stream, version, count, position, kind, command, group_id,
         digest, actor_kind, actor, seat, action, received_at, recorded_at, hand, epoch, rules,
         hash, body)
  SELECT p_lane, stream, version, count, before + row_number() OVER (ORDER BY i), kind, command,
         group_id, digest, actor_kind, actor, seat, action, received_at, recorded_at, hand,
         epoch, rules, hash, body
    FROM unnest(p_batch_group, p_stream, p_kind, p_version, p_count, p_command, p_group, p_digest,
                p_actor_kind, p_actor, p_seat, p_action, p_received_at, p_recorded_at, p_hand,
                p_epoch, p_rules, p_body, p_hash)
         WITH ORDINALITY AS u(batch_group, stream, kind, version, count, command, group_id,
                digest, actor_kind, actor, seat, action, received_at, recorded_at, hand, epoch,
                rules, body, hash, i)
   WHERE bad_groups IS NULL OR batch_group <> ALL (bad_groups);
  GET DIAGNOSTICS stored = ROW_COUNT;
  first_position := before + 1;
END $fn$;

-- Against accidents of those whom privileges do not stop.
CREATE FUNCTION kartejo.refuse() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $fn$
BEGIN
  RAISE EXCEPTION '% on %.% is refused: the log is append-only',
    TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $fn$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON kartejo.commit
  FOR EACH STATEMENT EXECUTE FUNCTION kartejo.refuse();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON kartejo.lane
  FOR EACH STATEMENT EXECUTE FUNCTION kartejo.refuse();

REVOKE ALL ON FUNCTION kartejo.append FROM PUBLIC;
REVOKE ALL ON FUNCTION kartejo.refuse FROM PUBLIC;

GRANT USAGE ON SCHEMA kartejo TO kartejo_writer, kartejo_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA kartejo TO kartejo_writer;
GRANT SELECT ON kartejo.lane, kartejo.commit, kartejo.progress, kartejo.table_index,
  kartejo.migration TO kartejo_reader;
GRANT EXECUTE ON FUNCTION kartejo.append TO kartejo_writer;
GRANT INSERT, DELETE ON kartejo.snapshot, kartejo.principal TO kartejo_writer;
GRANT INSERT, UPDATE, DELETE ON kartejo.progress, kartejo.lease, kartejo.table_index
  TO kartejo_writer;
