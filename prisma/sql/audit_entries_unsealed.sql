-- Queues new entries for `seal_audit`.
-- Used by: the trigger below
CREATE OR REPLACE FUNCTION carelane_note_unsealed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_unsealed SELECT tenant_id, position, id, created_at FROM fresh;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION carelane_note_unsealed() FROM PUBLIC;
CREATE OR REPLACE TRIGGER audit_entries_unsealed AFTER INSERT ON audit_entries REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION carelane_note_unsealed();
