-- Drops the months that ended before `before`, and returns how many. The function rejects months younger than 30 days
-- (events) or a year (audit), so that an attacker who controls the service cannot erase the traces.
-- Used by: src/jobs/maintain-logs.ts
CREATE OR REPLACE FUNCTION drop_log_partitions(log text, before timestamptz) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = 0 AS $$
DECLARE
  youngest timestamptz := now() - CASE log WHEN 'events' THEN interval '30 days' WHEN 'audit_entries' THEN interval '1 year' END;
  old regclass[];
  until timestamptz;
BEGIN
  IF youngest IS NULL THEN RAISE EXCEPTION 'there is no such log' USING ERRCODE = 'invalid_parameter_value'; END IF;
  IF before IS NULL OR before > youngest THEN
    RAISE EXCEPTION 'the log must be kept for longer' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('carelane: log partitions', 0));
  SELECT array_agg(part ORDER BY month), max(month) + interval '1 month' INTO old, until
  FROM (SELECT i.inhrelid::regclass AS part, to_date(right(c.relname, 7), 'YYYY_MM')::timestamptz AS month
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = log::regclass AND c.relname ~ '_\d{4}_\d{2}$') made
  WHERE month + interval '1 month' <= before;
  IF old IS NULL THEN RETURN 0; END IF;
  IF log = 'events' THEN PERFORM before_events_drop(until); ELSE PERFORM before_audit_drop(until); END IF;
  -- Writers wait from here on: the slow work is done, and the files are deleted after the locks are released.
  PERFORM set_config('lock_timeout', '2s', true);
  FOR n IN 1 .. array_length(old, 1) LOOP EXECUTE format('DROP TABLE %s', old[n]); END LOOP;
  RETURN array_length(old, 1);
END $$;
SELECT carelane_for_service('drop_log_partitions(text, timestamptz)'::regprocedure);
