-- One link of the chain, for sealing and verification.
-- Used by: seal_audit, check_audit_seals
CREATE OR REPLACE FUNCTION audit_hash(previous bytea, entry audit_entries) RETURNS bytea
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN sha256(previous || convert_to(public.audit_text(entry), 'UTF8'));
END $$;
