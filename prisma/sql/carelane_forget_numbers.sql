-- Deletes the sequences of the connection's tenant's events from before `before`, and all lower ones, and returns how many.
-- The rest of the feed has no gap, and `event_feeds.oldest_sequence` is its start.
-- Used by: before_events_drop
CREATE OR REPLACE FUNCTION carelane_forget_numbers(before timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  through bigint;
  forgotten bigint;
BEGIN
  SELECT max(sequence) INTO through FROM event_numbers WHERE tenant_id = tenant AND event_created_at < before;
  IF through IS NULL THEN
    RETURN 0;
  END IF;
  DELETE FROM event_numbers WHERE tenant_id = tenant AND sequence <= through;
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  UPDATE event_feeds SET oldest_sequence = through + 1 WHERE tenant_id = tenant AND oldest_sequence <= through;
  RETURN forgotten;
END $$;
