-- Entries are appended, never changed or deleted; `drop_log_partitions` drops expired months.
-- Used by: the trigger below
CREATE OR REPLACE FUNCTION carelane_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION carelane_append_only();
