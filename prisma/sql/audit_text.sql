-- The whole row as text, with all of its columns. Null columns are omitted, so that the hashes of old rows stay valid when
-- a column is added; `details` is included unchanged.
-- Used by: audit_hash
CREATE OR REPLACE FUNCTION audit_text(entry audit_entries) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
BEGIN
  RETURN (jsonb_strip_nulls(to_jsonb(entry) - 'details') || jsonb_build_object('details', entry.details))::text;
END $$;
