-- A payment link is given again while it is live, so what opens it is kept encrypted until then; the row stays for the
-- patient's page.
ALTER TABLE "checkout_links"
    ADD COLUMN "token" BYTEA,
    ADD COLUMN "made_by" TEXT,
    ADD COLUMN "sent_to" BYTEA,
    ADD COLUMN "sent_at" TIMESTAMPTZ(3),
    ADD COLUMN "ended_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "checkout_links_tenant_id_patient_id_created_at_idx" ON "checkout_links"("tenant_id", "patient_id", "created_at" DESC);

-- Another e-mail address for a patient who signs in, begun by staff: it counts once the link that went there is opened.
CREATE TABLE "asked_email_changes" (
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "email" BYTEA NOT NULL,
    "help_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "asked_email_changes_pkey" PRIMARY KEY ("tenant_id", "patient_id")
);
CREATE UNIQUE INDEX "asked_email_changes_tenant_id_token_hash_key" ON "asked_email_changes"("tenant_id", "token_hash");
ALTER TABLE "asked_email_changes" ADD CONSTRAINT "asked_email_changes_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
SELECT carelane_protect('asked_email_changes');

-- What a list of visits is kept to, in the order of their times.
CREATE INDEX "appointments_tenant_id_status_start_at_id_idx" ON "appointments"("tenant_id", "status", "start_at", "id");
CREATE INDEX "appointments_tenant_id_calendar_id_start_at_id_idx" ON "appointments"("tenant_id", "calendar_id", "start_at", "id");
CREATE INDEX "appointments_tenant_id_appointment_type_id_start_at_id_idx" ON "appointments"("tenant_id", "appointment_type_id", "start_at", "id");

-- Patients in the order of a card index: by last name, then first, accents and case apart; who has no name comes last. Made
-- by the database, so that no process can leave it out, and compared by code, so that every system orders it alike.
ALTER TABLE "patients" ADD COLUMN "sort_name" TEXT COLLATE "C" GENERATED ALWAYS AS (
    lower(regexp_replace(
        normalize(coalesce("last_name" || E'\x01' || coalesce("first_name", ''), "first_name", '~'), NFKD),
        '[\u0300-\u036f]', '', 'g'))
) STORED;
CREATE INDEX "patients_tenant_id_sort_name_id_idx" ON "patients"("tenant_id", "sort_name", "id");
