-- The patient whose record replaced this one.
ALTER TABLE "patients" ADD COLUMN "merged_into" UUID;
ALTER TABLE "patients" ADD CONSTRAINT "patients_tenant_id_merged_into_fkey" FOREIGN KEY ("tenant_id", "merged_into") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX "patients_tenant_id_merged_into_idx" ON "patients"("tenant_id", "merged_into") WHERE "merged_into" IS NOT NULL;
