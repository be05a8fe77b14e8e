-- Assigns sequences to at most `most` events of the connection's tenant, in the order of their positions. Returns how many,
-- or -1 while another process does the same. Each statement sees rows that were committed when it started (READ COMMITTED),
-- so it sees another process's sequences once its lock is free. Sequences, feed and queue change in one transaction, so a
-- kill leaves no gap. The settings restrict the planner to index order, which stays fast for any number of queued events.
-- Only this transaction notifies readers: NOTIFY serialises the commits of the transactions that send it, which would slow
-- down the writers of events.
-- Used by: src/server/events/numbering.ts
CREATE OR REPLACE FUNCTION carelane_number_events(most integer) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  last bigint;
  handled integer;
  given bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('carelane numbering ' || tenant, 0)) THEN
    RETURN -1;
  END IF;
  PERFORM FROM unnumbered_events WHERE tenant_id = tenant LIMIT 1;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  INSERT INTO event_feeds (tenant_id) VALUES (tenant) ON CONFLICT DO NOTHING;
  SELECT last_sequence INTO last FROM event_feeds WHERE tenant_id = tenant;
  WITH waiting AS MATERIALIZED (
    SELECT * FROM unnumbered_events WHERE tenant_id = tenant ORDER BY position LIMIT most
  ), taken AS (
    DELETE FROM unnumbered_events u USING waiting w WHERE u.tenant_id = tenant AND u.position = w.position
  ), numbers AS (
    -- An event that is queued again, for example after its table was copied, keeps its sequence.
    INSERT INTO event_numbers
      SELECT tenant, last + row_number() OVER (ORDER BY w.position), w.event_id, w.event_created_at, w.event_type,
        w.event_topic, w.object_id, w.patient_id
      FROM waiting w
      WHERE NOT EXISTS (SELECT FROM event_numbers n WHERE n.tenant_id = tenant AND n.event_id = w.event_id)
    RETURNING sequence
  )
  SELECT (SELECT count(*) FROM waiting), (SELECT count(*) FROM numbers) INTO handled, given;
  UPDATE event_feeds SET last_sequence = last + given WHERE tenant_id = tenant;
  PERFORM pg_notify('carelane_events', tenant || ' ' || (last + given));
  RETURN handled;
END $$;
