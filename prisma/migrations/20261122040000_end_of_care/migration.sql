-- A patient whose visits and subscriptions are being ended, before they are archived.
ALTER TABLE "patients" ADD COLUMN "care_ending_at" TIMESTAMPTZ(3), ADD COLUMN "care_ending_problems" JSONB NOT NULL DEFAULT '[]';

-- What was begun at Stripe for one patient and has no outcome yet is looked for whenever one is archived.
CREATE INDEX "subscription_intents_tenant_id_patient_id_idx" ON "subscription_intents"("tenant_id", "patient_id");
