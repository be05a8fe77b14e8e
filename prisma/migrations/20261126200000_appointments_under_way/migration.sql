-- Appointments with a change whose outcome is not known: a handful of a clinic's, looked up with each comparison.
CREATE INDEX "appointments_under_way" ON "appointments"("tenant_id", "updated_at") WHERE "pending_change" IS NOT NULL;
