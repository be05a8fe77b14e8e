-- Creates the partition of one month. Attaching a table takes no lock on the log that blocks writers; only the default
-- partition is locked, to move its rows of the month. `strayed`: the number of moved rows.
-- Used by: make_log_partitions
CREATE OR REPLACE FUNCTION carelane_make_month(log text, month date, OUT made int, OUT strayed int)
LANGUAGE plpgsql SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  name text := log || to_char(month, '_YYYY_MM');
  since timestamptz := month;
  until timestamptz := month + interval '1 month';
BEGIN
  made := 0; strayed := 0;
  IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', name, log);
  PERFORM carelane_shut(name::regclass);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', log || '_default');
  EXECUTE format('WITH strays AS (DELETE FROM %I WHERE created_at >= %L AND created_at < %L RETURNING *)
    INSERT INTO %I SELECT * FROM strays', log || '_default', since, until, name);
  GET DIAGNOSTICS strayed = ROW_COUNT;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', log, name, since, until);
  made := 1;
END $$;
REVOKE ALL ON FUNCTION carelane_make_month(text, date) FROM PUBLIC;
