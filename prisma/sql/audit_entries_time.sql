-- The database sets the time of an entry. A time in the insert has already chosen the partition, so at the turn of a month
-- the row gets the nearest time within that partition. A time that is more than ten minutes off is rejected.
-- Used by: the trigger below
CREATE OR REPLACE FUNCTION carelane_audit_time() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  present timestamptz(3) := now();
  since timestamptz;
BEGIN
  IF new.created_at = present THEN RETURN new; END IF;
  IF new.created_at NOT BETWEEN present - interval '10 minutes' AND present + interval '10 minutes' THEN
    RAISE EXCEPTION 'the database gives audit entries their time' USING ERRCODE = 'insufficient_privilege';
  END IF;
  since := date_trunc('month', new.created_at, 'UTC');
  new.created_at := greatest(since, least(present, since + interval '1 month' - interval '1 millisecond'));
  RETURN new;
END $$;
CREATE OR REPLACE TRIGGER audit_entries_time BEFORE INSERT ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION carelane_audit_time();
