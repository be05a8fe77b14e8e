-- What is to be sent of a visit, what was sent, and what became of it; each is sent at most once.
CREATE TABLE "visit_messages" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "appointment_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "minutes_before" INTEGER NOT NULL DEFAULT 0,
    "start_at" TIMESTAMPTZ(3) NOT NULL,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "turn" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL,
    "why" TEXT,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "claimed_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "sent_to" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "visit_messages_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "visit_messages_kind" CHECK ("kind" IN ('confirmation', 'move', 'cancellation', 'reminder')),
    CONSTRAINT "visit_messages_channel" CHECK ("channel" IN ('email', 'sms')),
    CONSTRAINT "visit_messages_state" CHECK ("state" IN ('planned', 'sending', 'sent', 'failed', 'skipped')),
    CONSTRAINT "visit_messages_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id")
      REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "visit_messages_tenant_id_appointment_id_fkey" FOREIGN KEY ("tenant_id", "appointment_id")
      REFERENCES "appointments"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "visit_messages_once" ON "visit_messages"
  ("tenant_id", "appointment_id", "kind", "channel", "start_at", "minutes_before", "sequence", "turn");
CREATE INDEX "visit_messages_tenant_id_state_due_at_idx" ON "visit_messages"("tenant_id", "state", "due_at");
CREATE INDEX "visit_messages_tenant_id_patient_id_due_at_idx" ON "visit_messages"("tenant_id", "patient_id", "due_at");
SELECT carelane_protect('visit_messages'::regclass);

-- What a clinic sends of visits, in which words, and when not.
CREATE TABLE "message_settings" (
    "tenant_id" UUID NOT NULL,
    "settings" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_settings_pkey" PRIMARY KEY ("tenant_id")
);
SELECT carelane_protect('message_settings'::regclass);
