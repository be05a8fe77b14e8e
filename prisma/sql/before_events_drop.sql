-- Deletes the sequences of events that are about to be dropped, for every tenant.
-- Used by: drop_log_partitions
CREATE OR REPLACE FUNCTION before_events_drop(before timestamptz) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
  own CONSTANT text := current_setting('app.tenant_id', true);
  tenant uuid;
BEGIN
  FOR tenant IN SELECT DISTINCT e.tenant_id FROM events e WHERE e.created_at < before LOOP
    PERFORM set_config('app.tenant_id', tenant::text, true);
    PERFORM carelane_forget_numbers(before);
  END LOOP;
  PERFORM set_config('app.tenant_id', coalesce(own, ''), true);
END $$;
REVOKE ALL ON FUNCTION before_events_drop(timestamptz) FROM PUBLIC;
