-- What a clinic asks of a patient beside the link of a visit.
ALTER TABLE "tenants" ADD COLUMN "visit_check" TEXT NOT NULL DEFAULT 'none',
  ADD CONSTRAINT "tenants_visit_check" CHECK ("visit_check" IN ('none', 'date_of_birth'));

-- The call of a visit: when both were there, and how it ended.
CREATE TABLE "visit_calls" (
    "tenant_id" UUID NOT NULL,
    "appointment_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "ended_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "visit_calls_pkey" PRIMARY KEY ("tenant_id", "appointment_id"),
    CONSTRAINT "visit_calls_ended_by" CHECK ("ended_by" IN ('patient', 'staff', 'time')),
    CONSTRAINT "visit_calls_tenant_id_appointment_id_fkey" FOREIGN KEY ("tenant_id", "appointment_id")
      REFERENCES "appointments"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "visit_calls_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id")
      REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "visit_calls_tenant_id_patient_id_idx" ON "visit_calls"("tenant_id", "patient_id");
SELECT carelane_protect('visit_calls'::regclass);

-- Who sat there, from when to when, and what their line was like. The key is kept as a keyed hash.
CREATE TABLE "visit_seats" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "appointment_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "side" TEXT NOT NULL,
    "staff_id" UUID,
    "key_hash" BYTEA,
    "sat_at" TIMESTAMPTZ(3) NOT NULL,
    "heard_at" TIMESTAMPTZ(3) NOT NULL,
    "admitted_at" TIMESTAMPTZ(3),
    "left_at" TIMESTAMPTZ(3),
    "why_left" TEXT,
    "last_signal" INTEGER NOT NULL DEFAULT 0,
    "devices" TEXT,
    "path" TEXT,
    "media" TEXT,
    "quality" TEXT,
    "worst_quality" TEXT,

    CONSTRAINT "visit_seats_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "visit_seats_side" CHECK ("side" IN ('patient', 'staff')),
    CONSTRAINT "visit_seats_staff" CHECK (("side" = 'staff') = ("staff_id" IS NOT NULL)),
    CONSTRAINT "visit_seats_why_left" CHECK ("why_left" IN ('left', 'taken', 'exchanged', 'ended')),
    CONSTRAINT "visit_seats_left" CHECK (("left_at" IS NULL) = ("why_left" IS NULL)),
    CONSTRAINT "visit_seats_tenant_id_appointment_id_fkey" FOREIGN KEY ("tenant_id", "appointment_id")
      REFERENCES "visit_calls"("tenant_id", "appointment_id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "visit_seats_tenant_id_patient_id_idx" ON "visit_seats"("tenant_id", "patient_id");
CREATE UNIQUE INDEX "visit_seats_tenant_id_id_key" ON "visit_seats"("tenant_id", "id");
CREATE UNIQUE INDEX "visit_seats_tenant_id_key_hash_key" ON "visit_seats"("tenant_id", "key_hash");
-- One patient, one practitioner.
CREATE UNIQUE INDEX "visit_seats_one_a_side" ON "visit_seats"("tenant_id", "appointment_id", "side")
  WHERE "left_at" IS NULL;
CREATE INDEX "visit_seats_tenant_id_appointment_id_sat_at_idx" ON "visit_seats"("tenant_id", "appointment_id", "sat_at");
-- Who waits now.
CREATE INDEX "visit_seats_waiting" ON "visit_seats"("tenant_id", "side", "heard_at") WHERE "left_at" IS NULL;
SELECT carelane_protect('visit_seats'::regclass);

-- What one side tells the other so that both can talk, encrypted; gone minutes later.
CREATE TABLE "visit_signals" (
    "tenant_id" UUID NOT NULL,
    "to_seat_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "id" UUID NOT NULL,
    "from_seat_id" UUID NOT NULL,
    "body" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "visit_signals_pkey" PRIMARY KEY ("tenant_id", "to_seat_id", "seq"),
    CONSTRAINT "visit_signals_tenant_id_to_seat_id_fkey" FOREIGN KEY ("tenant_id", "to_seat_id")
      REFERENCES "visit_seats"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "visit_signals_tenant_id_from_seat_id_id_key" ON "visit_signals"("tenant_id", "from_seat_id", "id");
CREATE INDEX "visit_signals_tenant_id_created_at_idx" ON "visit_signals"("tenant_id", "created_at");
SELECT carelane_protect('visit_signals'::regclass);
