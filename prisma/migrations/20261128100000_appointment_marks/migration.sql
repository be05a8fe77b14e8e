-- What staff noted of an appointment's course, and when the provider is to be told of a no-show.
ALTER TABLE "appointments" ADD COLUMN "checked_in_at" TIMESTAMPTZ(3),
ADD COLUMN "completed_at" TIMESTAMPTZ(3),
ADD COLUMN "no_show_due_at" TIMESTAMPTZ(3);
CREATE INDEX "appointments_checked_in_idx" ON "appointments"("tenant_id", "start_at", "id") WHERE "checked_in_at" IS NOT NULL;
CREATE INDEX "appointments_completed_idx" ON "appointments"("tenant_id", "start_at", "id") WHERE "completed_at" IS NOT NULL;
CREATE INDEX "appointments_no_show_due_idx" ON "appointments"("tenant_id", "no_show_due_at") WHERE "no_show_due_at" IS NOT NULL;
