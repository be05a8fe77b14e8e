-- A tenant reads its own routes (its allowed origins) without passing those of all others.
CREATE INDEX "tenant_routes_tenant_id_idx" ON "tenant_routes"("tenant_id");
