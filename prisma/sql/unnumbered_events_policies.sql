-- Events without a sequence: the key `unnumbered` reads those of all tenants, to find which tenants have any. Everything
-- else runs as one tenant.
-- Used by: src/server/core/db.ts (tenantsWithUnnumbered sets app.route_key)
CREATE OR REPLACE FUNCTION carelane_numbering_scope() RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF current_setting('app.route_key', true) = 'unnumbered' THEN
    RETURN NULL;
  END IF;
  RETURN current_setting('app.tenant_id')::uuid;
END $$;

ALTER TABLE unnumbered_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE unnumbered_events FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS read_own_or_all ON unnumbered_events;
CREATE POLICY read_own_or_all ON unnumbered_events FOR SELECT
  USING ((SELECT carelane_numbering_scope()) IS NULL OR tenant_id = (SELECT carelane_numbering_scope()));
DROP POLICY IF EXISTS insert_own ON unnumbered_events;
CREATE POLICY insert_own ON unnumbered_events FOR INSERT
  WITH CHECK (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
DROP POLICY IF EXISTS update_own ON unnumbered_events;
CREATE POLICY update_own ON unnumbered_events FOR UPDATE
  USING (tenant_id = (SELECT current_setting('app.tenant_id')::uuid))
  WITH CHECK (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
DROP POLICY IF EXISTS delete_own ON unnumbered_events;
CREATE POLICY delete_own ON unnumbered_events FOR DELETE
  USING (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
