-- Seals at most `most` committed entries of a tenant, and returns how many. The chain's row is the lock; writers of entries
-- do not take it. Statistics of a table that is constantly filled and emptied are never accurate, so the settings restrict
-- the planner to the index; the plan is generic, because planning looks at every partition.
-- Used by: src/server/audit/seal-audit.ts, before_audit_drop
CREATE OR REPLACE FUNCTION seal_audit(whose uuid, most int DEFAULT 500) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  chain audit_chains;
  next record;
  sealed int := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM audit_unsealed WHERE tenant_id = whose) THEN RETURN 0; END IF;
  INSERT INTO audit_chains (tenant_id) VALUES (whose) ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT chain FROM audit_chains WHERE tenant_id = whose FOR UPDATE;
  FOR next IN
    -- By primary key only, so that the planner uses no other index: a plan that reads a partition for each entry, or all
    -- partitions, gets slower with every entry.
    SELECT u.position, u.entry_id, e.created_at, e.hashed
    FROM audit_unsealed u CROSS JOIN LATERAL (
      SELECT a.tenant_id, a.created_at, a AS hashed FROM audit_entries a
      WHERE a.id = u.entry_id AND a.created_at = u.entry_created_at OFFSET 0) e
    WHERE u.tenant_id = whose AND e.tenant_id = whose ORDER BY u.position LIMIT least(most, 10000)
  LOOP
    chain.position := chain.position + 1;
    chain.hash := audit_hash(chain.hash, next.hashed);
    INSERT INTO audit_seals (tenant_id, position, entry_id, entry_created_at, hash)
      VALUES (whose, chain.position, next.entry_id, next.created_at, chain.hash);
    DELETE FROM audit_unsealed u
      WHERE u.tenant_id = whose AND u.position = next.position AND u.entry_id = next.entry_id;
    sealed := sealed + 1;
  END LOOP;
  UPDATE audit_chains c SET position = chain.position, hash = chain.hash WHERE c.tenant_id = whose;
  RETURN sealed;
END $$;
SELECT carelane_for_service('seal_audit(uuid, int)'::regprocedure);
