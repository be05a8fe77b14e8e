-- Ids of the connection's tenant's patients of some statuses with words that are spelled nearly the same: at most `most`, in
-- no order. `words` is an array of objects: one of `likes` matches; or else, where `distance` is given, `word` is at most so
-- many letters away from a word of the search text. `likeness` is the least part of trigrams that such words share. It runs
-- as the owner, like carelane_find_patients, and takes the tenant from the setting alone.
-- Used by: src/server/patients/search-patients.ts
CREATE OR REPLACE FUNCTION carelane_find_similar_patients(words jsonb, likeness real, statuses text[], most integer)
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  condition text;
BEGIN
  PERFORM set_config('pg_trgm.word_similarity_threshold', likeness::text, true);
  SELECT string_agg('(' || any_of.likes || CASE WHEN word ? 'distance' THEN format(
    ' OR (search_text %%> %L AND EXISTS (SELECT FROM unnest(string_to_array(search_text, '' '')) AS part
       WHERE levenshtein_less_equal(left(part, 60), %1$L, %2$s) <= %2$s))', word ->> 'word', (word ->> 'distance')::integer)
    ELSE '' END || ')', ' AND ') INTO condition
  FROM jsonb_array_elements(words) AS word, LATERAL (
    SELECT string_agg(format('search_text LIKE %L', pattern), ' OR ') AS likes
    FROM jsonb_array_elements_text(word -> 'likes') AS pattern) AS any_of;
  RETURN QUERY EXECUTE format('SELECT id FROM patients WHERE tenant_id = %L AND status = ANY (%L) AND %s LIMIT %L', tenant,
    statuses, condition, most);
END $$;
SELECT carelane_for_service('carelane_find_similar_patients(jsonb, real, text[], integer)'::regprocedure);
