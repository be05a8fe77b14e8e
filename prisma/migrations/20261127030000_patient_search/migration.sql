-- Trusted extensions: the database's owner may create them. Trigrams for parts of words, the tenant in the same index, and
-- the distance of misspelled words.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

-- The service writes tags into search_text from now on. Row-level security applies to the owner, too.
DO $$
DECLARE tenant uuid;
BEGIN
  PERFORM set_config('app.route_key', 'tenants', true);
  FOR tenant IN SELECT tenant_id FROM tenant_routes WHERE key = 'tenants' LOOP
    PERFORM set_config('app.tenant_id', tenant::text, true);
    UPDATE patients SET search_text = search_text || ' ' ||
      lower(regexp_replace(normalize(array_to_string(tag_list, ' '), NFKD), '[\u0300-\u036f]', '', 'g'))
    WHERE tenant_id = tenant AND tag_list <> '{}';
  END LOOP;
  PERFORM set_config('app.route_key', '', true), set_config('app.tenant_id', '', true);
END $$;

CREATE INDEX "patients_search_idx" ON "patients" USING GIN ("tenant_id" uuid_ops, "search_text" gin_trgm_ops);
CREATE INDEX "patients_names_idx" ON "patients" USING GIN ("tenant_id" uuid_ops, "sort_name" gin_trgm_ops);
CREATE INDEX "patients_tenant_id_birth_date_idx" ON "patients"("tenant_id", "birth_date");
