-- Deletes at most `most` seals of entries that were dropped, and returns how many.
-- Used by: src/jobs/maintain-logs.ts
CREATE OR REPLACE FUNCTION trim_audit_seals(most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE trimmed int;
BEGIN
  DELETE FROM audit_seals WHERE (tenant_id, position) IN (
    SELECT s.tenant_id, s.position FROM audit_chains c JOIN audit_seals s
      ON s.tenant_id = c.tenant_id AND s.position <= c.checkpoint_position LIMIT most);
  GET DIAGNOSTICS trimmed = ROW_COUNT;
  RETURN trimmed;
END $$;
SELECT carelane_for_service('trim_audit_seals(int)'::regprocedure);
