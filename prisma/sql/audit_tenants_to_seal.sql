-- The tenants with unsealed entries: one index lookup for each tenant, independent of the number of entries.
-- Used by: src/server/audit/seal-audit.ts
CREATE OR REPLACE FUNCTION audit_tenants_to_seal() RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
  WITH RECURSIVE waiting AS (
    (SELECT tenant_id FROM audit_unsealed ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT u.tenant_id FROM audit_unsealed u WHERE u.tenant_id > w.tenant_id ORDER BY u.tenant_id LIMIT 1)
    FROM waiting w WHERE w.tenant_id IS NOT NULL)
  SELECT tenant_id FROM waiting WHERE tenant_id IS NOT NULL
$$;
SELECT carelane_for_service('audit_tenants_to_seal()'::regprocedure);
