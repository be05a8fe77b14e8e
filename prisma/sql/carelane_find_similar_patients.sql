-- Ids of the connection's tenant's patients of some statuses whose names have words that are spelled nearly the same: at most
-- `most`, in no order. `words` is an array of objects: the search text matches `exact`, or a name matches one of `swapped`, or,
-- where `distance` is given, `word` is at most so many letters away from a word of the name. `likeness` is the least part of
-- trigrams that such words share. It runs as the owner, like carelane_find_patients, and takes the tenant from the setting alone.
-- Used by: src/server/patients/search-patients.ts
CREATE OR REPLACE FUNCTION carelane_find_similar_patients(words jsonb, likeness real, statuses text[], most integer)
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  tenant CONSTANT uuid := current_setting('app.tenant_id')::uuid;
  condition text;
  texts text[];
BEGIN
  PERFORM set_config('pg_trgm.word_similarity_threshold', likeness::text, true);
  WITH part AS (
    SELECT word.n AS word, of_word.kind, of_word.value, (word.value ->> 'distance')::integer AS distance,
      row_number() OVER (ORDER BY word.n, of_word.kind, of_word.value) AS position
    FROM jsonb_array_elements(words) WITH ORDINALITY AS word (value, n), LATERAL (
      SELECT 'exact' AS kind, jsonb_array_elements_text(word.value -> 'exact') AS value
      UNION ALL SELECT 'swapped', jsonb_array_elements_text(word.value -> 'swapped')
      UNION ALL SELECT 'near', word.value ->> 'word' WHERE word.value ? 'distance') AS of_word
  ), of_word AS (
    SELECT string_agg(CASE kind
      WHEN 'exact' THEN format('search_text LIKE ($3)[%s]', position)
      WHEN 'swapped' THEN format('sort_name LIKE ($3)[%s]', position)
      ELSE format('(sort_name %%> ($3)[%1$s] AND EXISTS (
        SELECT FROM unnest(string_to_array(translate(sort_name, e''\x01-'', ''  ''), '' '')) AS name
        WHERE levenshtein_less_equal(left(name, 60), ($3)[%1$s], %2$s) <= %2$s))', position, distance) END, ' OR ') AS any_of
    FROM part GROUP BY word
  )
  SELECT (SELECT string_agg('(' || any_of || ')', ' AND ') FROM of_word), (SELECT array_agg(value ORDER BY position) FROM part)
  INTO condition, texts;
  RETURN QUERY EXECUTE format('SELECT id FROM patients WHERE tenant_id = $1 AND status = ANY ($2) AND %s LIMIT $4',
    coalesce(condition, 'false')) USING tenant, statuses, texts, most;
END $$;
SELECT carelane_for_service('carelane_find_similar_patients(jsonb, real, text[], integer)'::regprocedure);
