-- At which account an appointment is; null: at the one that is connected until another takes its place. Why one was
-- canceled that nobody canceled: it is gone at the provider, or its account is.
ALTER TABLE "appointments" ADD COLUMN "account_id" TEXT, ADD COLUMN "canceled_because" TEXT;
-- Whoever leaves has visits to come, which are listed.
CREATE INDEX "appointments_tenant_id_practitioner_id_start_at_id_idx"
  ON "appointments"("tenant_id", "practitioner_id", "start_at", "id");

-- Booked at the provider for somebody who is no patient here, until an administrator says whose it is.
CREATE TABLE "unmatched_appointments" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_appointment_id" INTEGER NOT NULL,
    "appointment_type_id" INTEGER NOT NULL,
    "appointment_type" TEXT NOT NULL,
    "calendar_id" INTEGER NOT NULL,
    "calendar" TEXT NOT NULL,
    "practitioner_id" UUID,
    "start_at" TIMESTAMPTZ(3) NOT NULL,
    "end_at" TIMESTAMPTZ(3) NOT NULL,
    "time_zone" TEXT NOT NULL,
    "location" TEXT,
    "status" TEXT NOT NULL,
    "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "email" TEXT,
    "phone_number" TEXT,
    "ignored_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unmatched_appointments_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "unmatched_appointments_status" CHECK ("status" IN ('scheduled', 'canceled', 'no_show'))
);
CREATE UNIQUE INDEX "unmatched_appointments_tenant_id_id_key" ON "unmatched_appointments"("tenant_id", "id");
CREATE UNIQUE INDEX "unmatched_appointments_tenant_id_provider_appointment_id_key"
  ON "unmatched_appointments"("tenant_id", "provider_appointment_id");
CREATE INDEX "unmatched_appointments_tenant_id_start_at_id_idx" ON "unmatched_appointments"("tenant_id", "start_at", "id");
CREATE INDEX "unmatched_appointments_tenant_id_end_at_idx" ON "unmatched_appointments"("tenant_id", "end_at");
-- Rows that are there are checked by the owner, who may be no superuser and then sees none under a policy.
ALTER TABLE "slot_claims" NO FORCE ROW LEVEL SECURITY;
-- It holds its time beside the appointments: a claim is of the one or of the other, and no two holders' overlap.
ALTER TABLE "slot_claims" ALTER COLUMN "appointment_id" DROP NOT NULL, ADD COLUMN "unmatched_id" UUID;
ALTER TABLE "slot_claims" ADD CONSTRAINT "slot_claims_tenant_id_unmatched_id_fkey"
  FOREIGN KEY ("tenant_id", "unmatched_id") REFERENCES "unmatched_appointments"("tenant_id", "id")
  ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX "slot_claims_tenant_id_unmatched_id_idx" ON "slot_claims"("tenant_id", "unmatched_id");
ALTER TABLE "slot_claims" DROP CONSTRAINT "slot_claims_no_overlap";
ALTER TABLE "slot_claims" ADD CONSTRAINT "slot_claims_no_overlap" EXCLUDE USING gist (
  "tenant_id" WITH =, "calendar_id" WITH =, tstzrange("start_at", "end_at") WITH &&,
  (coalesce("appointment_id", "unmatched_id", "id")) WITH <>);
ALTER TABLE "slot_claims" FORCE ROW LEVEL SECURITY;
SELECT carelane_protect('unmatched_appointments'::regclass);

-- How far each account's appointments were compared with ours.
CREATE TABLE "scheduling_reconciles" (
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "runner" UUID,
    "leased_until" TIMESTAMPTZ(3),
    "pass_started_at" TIMESTAMPTZ(3),
    "pass_left" JSONB NOT NULL DEFAULT '[]',
    "pass_ended_at" TIMESTAMPTZ(3),
    "windows" JSONB NOT NULL DEFAULT '[]',
    "compared" INTEGER NOT NULL DEFAULT 0,
    "differing" INTEGER NOT NULL DEFAULT 0,
    "last_run_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "repaired" BIGINT NOT NULL DEFAULT 0,
    "silent_since" TIMESTAMPTZ(3),

    CONSTRAINT "scheduling_reconciles_pkey" PRIMARY KEY ("tenant_id", "account_id")
);
SELECT carelane_protect('scheduling_reconciles'::regclass);

-- What was put right here because no webhook had told of it.
CREATE TABLE "scheduling_repairs" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scheduling_repairs_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE INDEX "scheduling_repairs_tenant_id_created_at_idx" ON "scheduling_repairs"("tenant_id", "created_at" DESC);
SELECT carelane_protect('scheduling_repairs'::regclass);
