-- Whoever runs a request under an Idempotency-Key holds its row; what the request did is written there by the very
-- transaction that did it. `id` is another one when the same key is used anew after its day.
ALTER TABLE "idempotency_keys"
  ADD COLUMN "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN "holder" UUID,
  ADD COLUMN "outcome" BYTEA;

-- Who asked for what: the same request without a key is known again by it.
ALTER TABLE "appointments" ADD COLUMN "asked" TEXT;
CREATE INDEX "appointments_tenant_id_asked_idx" ON "appointments"("tenant_id", "asked");
ALTER TABLE "subscription_intents" ADD COLUMN "asked" TEXT;
CREATE INDEX "subscription_intents_tenant_id_asked_idx" ON "subscription_intents"("tenant_id", "asked");

-- No two visits of one patient overlap, unless somebody meant them to. Visits that overlap already were meant to.
ALTER TABLE "slot_claims" ADD COLUMN "patient_id" UUID, ADD COLUMN "overlap_ok" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "slot_claims" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "appointments" NO FORCE ROW LEVEL SECURITY;
UPDATE "slot_claims" c SET "patient_id" = a."patient_id"
  FROM "appointments" a WHERE a."tenant_id" = c."tenant_id" AND a."id" = c."appointment_id";
UPDATE "slot_claims" c SET "overlap_ok" = true
  WHERE EXISTS (SELECT 1 FROM "slot_claims" o
    WHERE o."tenant_id" = c."tenant_id" AND o."patient_id" = c."patient_id" AND o."appointment_id" <> c."appointment_id"
      AND tstzrange(o."start_at", o."end_at") && tstzrange(c."start_at", c."end_at"));
ALTER TABLE "slot_claims" FORCE ROW LEVEL SECURITY;
ALTER TABLE "appointments" FORCE ROW LEVEL SECURITY;
CREATE INDEX "slot_claims_tenant_id_patient_id_idx" ON "slot_claims"("tenant_id", "patient_id");
ALTER TABLE "slot_claims" ADD CONSTRAINT "slot_claims_one_visit_at_a_time" EXCLUDE USING gist (
  tenant_id WITH =, patient_id WITH =, tstzrange(start_at, end_at) WITH &&, appointment_id WITH <>) WHERE (NOT overlap_ok);
