-- Moves each chain's checkpoint past the entries that are about to be dropped. The chain records this in an entry of its
-- own, so that an attacker cannot remove its beginning and claim that it was old.
-- Used by: drop_log_partitions
CREATE OR REPLACE FUNCTION before_audit_drop(before timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  waiting uuid;
  chain audit_chains;
  span record;
BEGIN
  FOR waiting IN SELECT DISTINCT tenant_id FROM audit_unsealed WHERE entry_created_at < before LOOP
    WHILE seal_audit(waiting, 10000) > 0 LOOP END LOOP;
  END LOOP;
  FOR span IN
    SELECT s.tenant_id, max(s.position) FILTER (WHERE s.entry_created_at < before) AS last_gone,
      min(s.position) FILTER (WHERE s.entry_created_at >= before) AS first_kept
    FROM audit_seals s JOIN audit_chains c ON c.tenant_id = s.tenant_id AND s.position > c.checkpoint_position
    GROUP BY s.tenant_id HAVING max(s.position) FILTER (WHERE s.entry_created_at < before) > max(c.dropped_to)
  LOOP
    SELECT * INTO STRICT chain FROM audit_chains WHERE tenant_id = span.tenant_id FOR UPDATE;
    chain.dropped_to := span.last_gone;
    chain.dropped_before := before;
    IF coalesce(span.first_kept - 1, span.last_gone) > chain.checkpoint_position THEN
      chain.checkpoint_position := coalesce(span.first_kept - 1, span.last_gone);
      SELECT s.hash INTO STRICT chain.checkpoint_hash FROM audit_seals s
        WHERE s.tenant_id = span.tenant_id AND s.position = chain.checkpoint_position;
    END IF;
    UPDATE audit_chains c SET checkpoint_position = chain.checkpoint_position, checkpoint_hash = chain.checkpoint_hash,
      dropped_to = chain.dropped_to, dropped_before = chain.dropped_before WHERE c.tenant_id = span.tenant_id;
    INSERT INTO audit_entries (id, tenant_id, action, object_type, object_id, actor_type, actor_id, request_id, details)
      VALUES (gen_random_uuid(), span.tenant_id, 'audit.drop', 'AuditLog', to_char(before, 'YYYY-MM'), 'System',
        'keep_logs', 'keep_logs', audit_checkpoint(chain));
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION before_audit_drop(timestamptz) FROM PUBLIC;
