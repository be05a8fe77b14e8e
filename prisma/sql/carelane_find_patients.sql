-- Ids of the connection's tenant's patients of some statuses whose search text matches: at most `most`, in no order. `words`
-- is an array of arrays of LIKE patterns: of each inner array one matches. It runs as the owner, because LIKE is not
-- leakproof: for a role under row-level security PostgreSQL uses no index for it. The tenant is taken from the setting alone.
-- The statement names the patterns by position, so that a logged error does not contain them.
-- Used by: src/server/patients/search-patients.ts
CREATE OR REPLACE FUNCTION carelane_find_patients(words jsonb, statuses text[], most integer)
RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  condition text;
  patterns text[];
BEGIN
  WITH pattern AS (
    SELECT word.n AS word, likes.value, row_number() OVER (ORDER BY word.n, likes.n) AS position
    FROM jsonb_array_elements(words) WITH ORDINALITY AS word (likes, n),
      jsonb_array_elements_text(word.likes) WITH ORDINALITY AS likes (value, n)
  ), of_word AS (
    SELECT string_agg(format('search_text LIKE ($3)[%s]', position), ' OR ') AS likes FROM pattern GROUP BY word
  )
  SELECT (SELECT string_agg('(' || likes || ')', ' AND ') FROM of_word), (SELECT array_agg(value ORDER BY position) FROM pattern)
  INTO condition, patterns;
  RETURN QUERY EXECUTE format('SELECT id FROM patients WHERE tenant_id = $1 AND status = ANY ($2) AND %s LIMIT $4',
    coalesce(condition, 'false')) USING tenant, statuses, patterns, most;
END $$;
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = 'patients'::regclass AND polname = 'owner_reads') THEN
    CREATE POLICY owner_reads ON patients FOR SELECT TO CURRENT_USER USING (true);
  END IF;
END $$;
SELECT carelane_for_service('carelane_find_patients(jsonb, text[], integer)'::regprocedure);
