-- Ids of the connection's tenant's patients of some statuses whose search text matches: at most `most`, in no order. `words`
-- is an array of arrays of LIKE patterns: of each inner array one matches. It runs as the owner, because LIKE is not
-- leakproof: for a role under row-level security PostgreSQL uses no index for it. The tenant is taken from the setting alone.
-- Used by: src/server/patients/search-patients.ts
CREATE OR REPLACE FUNCTION carelane_find_patients(words jsonb, statuses text[], most integer)
RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  condition text;
BEGIN
  SELECT string_agg('(' || any_of.likes || ')', ' AND ') INTO condition
  FROM jsonb_array_elements(words) AS word, LATERAL (
    SELECT string_agg(format('search_text LIKE %L', pattern), ' OR ') AS likes
    FROM jsonb_array_elements_text(word) AS pattern) AS any_of;
  RETURN QUERY EXECUTE format('SELECT id FROM patients WHERE tenant_id = %L AND status = ANY (%L) AND %s LIMIT %L', tenant,
    statuses, condition, most);
END $$;
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = 'patients'::regclass AND polname = 'owner_reads') THEN
    CREATE POLICY owner_reads ON patients FOR SELECT TO CURRENT_USER USING (true);
  END IF;
END $$;
SELECT carelane_for_service('carelane_find_patients(jsonb, text[], integer)'::regprocedure);
