-- Appending in fewer steps: where every group fits, which is nearly always, no commit is looked up
-- by its command and nothing is sorted.  What the function answers stays as it was.

-- The judge of single groups: it finds the losers, and stores the others.
ALTER FUNCTION kartejo.append(
    smallint, integer[], uuid[], smallint[], integer[], integer[], bytea[], bytea[], bytea[],
    smallint[], uuid[], smallint[], bytea[], bigint[], bigint[], integer[], integer[], integer[],
    bytea[], bytea[])
  RENAME TO append_judged;

-- See append_judged (0001) for what the arguments and the answer are.
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
  sent   CONSTANT integer := cardinality(p_stream);
  before bigint;
BEGIN
  -- First the row lock of the lane, so that the next statement sees all that was committed in it.
  UPDATE kartejo.lane SET head = head + sent WHERE lane.lane = p_lane
    RETURNING head - sent INTO before;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'unknown lane %', p_lane USING ERRCODE = 'no_data_found';
  END IF;

  IF NOT EXISTS (
      SELECT FROM unnest(p_stream, p_version, p_count) AS u(stream, version, count)
       WHERE u.version - u.count <> coalesce((SELECT c.version FROM kartejo.commit c
                                               WHERE c.lane = p_lane AND c.stream = u.stream
                                               ORDER BY c.version DESC LIMIT 1), 0)) THEN
    BEGIN
      INSERT INTO kartejo.commit (lane, stream, version, count, position, kind, command,
             group_id, digest, actor_kind, actor, seat, action, received_at, recorded_at, hand,
             epoch, rules, hash, body)
      SELECT p_lane, stream, version, count, before + i, kind, command, group_id, digest,
             actor_kind, actor, seat, action, received_at, recorded_at, hand, epoch, rules, hash,
             body
        FROM unnest(p_stream, p_kind, p_version, p_count, p_command, p_group, p_digest,
                    p_actor_kind, p_actor, p_seat, p_action, p_received_at, p_recorded_at,
                    p_hand, p_epoch, p_rules, p_body, p_hash)
             WITH ORDINALITY AS u(stream, kind, version, count, command, group_id, digest,
                    actor_kind, actor, seat, action, received_at, recorded_at, hand, epoch,
                    rules, body, hash, i);
      first_position := before + 1;
      stored := sent;
      RETURN;
    EXCEPTION WHEN unique_violation THEN
      NULL;  -- a stream has one of these commands already: the judge tells which
    END;
  END IF;

  UPDATE kartejo.lane SET head = before WHERE lane.lane = p_lane;
  SELECT * INTO first_position, stored, lost, lost_version, lost_duplicate
    FROM kartejo.append_judged(p_lane, p_batch_group, p_stream, p_kind, p_version, p_count,
         p_command, p_group, p_digest, p_actor_kind, p_actor, p_seat, p_action, p_received_at,
         p_recorded_at, p_hand, p_epoch, p_rules, p_body, p_hash);
END $fn$;

REVOKE ALL ON FUNCTION kartejo.append FROM PUBLIC;
REVOKE ALL ON FUNCTION kartejo.append_judged FROM kartejo_writer;
GRANT EXECUTE ON FUNCTION kartejo.append TO kartejo_writer;
