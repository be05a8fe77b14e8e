-- Routes to tenants: a row can be read by its exact key or by its own tenant, and written only by its own tenant.
-- Used by: src/server/core/db.ts (tenantsOf sets app.route_key)
CREATE OR REPLACE FUNCTION carelane_route_key() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF coalesce(current_setting('app.route_key', true), '') = '' THEN
    RETURN current_setting('app.tenant_id')::uuid::text;
  END IF;
  RETURN current_setting('app.route_key');
END $$;

ALTER TABLE tenant_routes ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_routes FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS read_by_key ON tenant_routes;
CREATE POLICY read_by_key ON tenant_routes FOR SELECT
  USING (key = (SELECT carelane_route_key()) OR tenant_id::text = (SELECT carelane_route_key()));
DROP POLICY IF EXISTS insert_own ON tenant_routes;
CREATE POLICY insert_own ON tenant_routes FOR INSERT
  WITH CHECK (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
DROP POLICY IF EXISTS update_own ON tenant_routes;
CREATE POLICY update_own ON tenant_routes FOR UPDATE
  USING (tenant_id = (SELECT current_setting('app.tenant_id')::uuid))
  WITH CHECK (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
DROP POLICY IF EXISTS delete_own ON tenant_routes;
CREATE POLICY delete_own ON tenant_routes FOR DELETE
  USING (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
