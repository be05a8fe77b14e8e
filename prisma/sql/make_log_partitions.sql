-- Creates the partitions of this month and of `ahead` months after it, and those for the rows in the default partitions.
-- May be called at any time, also concurrently. `strayed` rows were written before their partition existed.
-- Used by: src/jobs/maintain-logs.ts, src/launcher/postgres/migrate-database.mjs
CREATE OR REPLACE FUNCTION make_log_partitions(ahead int DEFAULT 3, OUT made int, OUT strayed int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = 0 AS $$
DECLARE log text; month date; one record;
BEGIN
  made := 0; strayed := 0;
  PERFORM pg_advisory_xact_lock(hashtextextended('carelane: log partitions', 0));
  -- Limits how long a statement waits for a lock on the default partition, and others behind it.
  PERFORM set_config('lock_timeout', '2s', true);
  FOREACH log IN ARRAY ARRAY['events', 'audit_entries'] LOOP
    FOR month IN EXECUTE format(
      'SELECT date_trunc(''month'', now())::date + n * interval ''1 month'' FROM generate_series(0, %s) n
       UNION (SELECT DISTINCT date_trunc(''month'', created_at)::date FROM %I
         WHERE created_at BETWEEN ''1970-01-01'' AND ''2199-12-31'' ORDER BY 1 LIMIT 24) ORDER BY 1',
      least(greatest(ahead, 0), 24), log || '_default') LOOP
      one := carelane_make_month(log, month);
      made := made + one.made; strayed := strayed + one.strayed;
    END LOOP;
  END LOOP;
END $$;
SELECT carelane_for_service('make_log_partitions(int)'::regprocedure);
