-- Closes a partition of a log to direct access: it is read and written only through the log.
-- Used by: carelane_make_month, owner_policy
CREATE OR REPLACE FUNCTION carelane_shut(target regclass) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM carelane_rights(target);
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('CREATE POLICY owner ON %s TO CURRENT_USER USING (true)', target);
END $$;
REVOKE ALL ON FUNCTION carelane_shut(regclass) FROM PUBLIC;
