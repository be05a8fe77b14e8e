-- Claims of a calendar by their time: row-level security keeps the range operators of the exclusion constraint's index from being used.
CREATE INDEX "slot_claims_tenant_id_calendar_id_start_at_idx" ON "slot_claims"("tenant_id", "calendar_id", "start_at");
