-- The checkpoint from which a chain can be verified, as the log's own entry records it.
-- Used by: before_audit_drop
CREATE OR REPLACE FUNCTION audit_checkpoint(chain audit_chains) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
  SELECT jsonb_build_object('position', chain.checkpoint_position, 'hash', encode(chain.checkpoint_hash, 'hex'),
    'before', chain.dropped_before, 'to', chain.dropped_to)
$$;
