-- Records when a chain last grew.
-- Used by: the trigger below
CREATE OR REPLACE FUNCTION carelane_note_sealing() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  new.sealed_at := clock_timestamp();
  RETURN new;
END $$;
CREATE OR REPLACE TRIGGER audit_chains_sealed BEFORE UPDATE OF position ON audit_chains
  FOR EACH ROW WHEN (new.position > old.position) EXECUTE FUNCTION carelane_note_sealing();
