-- Verifies the next `most` seals of the connection's tenant against their rows: returns their number, the last one, and the
-- first two that do not match. It runs as the owner, who can find the rows of a partition by their keys.
-- Used by: src/server/audit/verify-audit.ts
CREATE OR REPLACE FUNCTION check_audit_seals(after_position bigint, after_hash bytea, most int,
  OUT seals int, OUT "position" bigint, OUT hash bytea, OUT broken jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE whose uuid := current_setting('app.tenant_id')::uuid;
BEGIN
  WITH page AS MATERIALIZED (
    SELECT s.*, lag(s.position, 1, after_position) OVER (ORDER BY s.position) AS before,
      lag(s.hash, 1, after_hash) OVER (ORDER BY s.position) AS previous
    FROM (SELECT * FROM audit_seals n WHERE n.tenant_id = whose AND n.position > after_position
      ORDER BY n.position LIMIT least(most, 10000)) s),
  checked AS (
    SELECT p.*, CASE
      WHEN p.position <> p.before + 1 THEN 'gap'
      WHEN e.tenant_id = whose AND e.hashed = p.hash THEN NULL
      WHEN e.tenant_id = whose THEN 'changed'
      -- Dropped with its expired partition.
      WHEN e.tenant_id IS NULL AND p.position <= c.dropped_to AND p.entry_created_at < c.dropped_before THEN NULL
      ELSE 'removed' END AS problem
    FROM page p LEFT JOIN audit_chains c ON c.tenant_id = whose LEFT JOIN LATERAL (
      SELECT a.tenant_id, audit_hash(p.previous, a) AS hashed FROM audit_entries a
      WHERE a.id = p.entry_id AND a.created_at = p.entry_created_at OFFSET 0) e ON true)
  SELECT count(*), max(p.position), (array_agg(p.hash ORDER BY p.position DESC))[1], coalesce((
      SELECT jsonb_agg(jsonb_build_object('problem', w.problem, 'position', w.position::text, 'before', w.before::text,
        'entryId', w.entry_id, 'hash', encode(w.hash, 'hex'), 'previous', encode(w.previous, 'hex')) ORDER BY w.position)
      FROM (SELECT * FROM checked k WHERE k.problem IS NOT NULL ORDER BY k.position LIMIT 2) w), '[]')
    INTO seals, position, hash, broken FROM page p;
END $$;
SELECT carelane_for_service('check_audit_seals(bigint, bytea, int)'::regprocedure);
