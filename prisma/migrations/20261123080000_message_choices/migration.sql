-- What an address or a number told the deployment's senders, which serve all clinics; it holds keyed hashes and encrypted words.
CREATE TABLE "address_signals" (
    "id" UUID NOT NULL,
    "channel" TEXT NOT NULL,
    "address_hash" BYTEA NOT NULL,
    "sender" TEXT NOT NULL DEFAULT '',
    "state" TEXT NOT NULL,
    "because" TEXT NOT NULL,
    "words" BYTEA,
    "provider_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "address_signals_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "address_signals_channel" CHECK ("channel" IN ('email', 'sms')),
    CONSTRAINT "address_signals_state" CHECK ("state" IN ('stopped', 'allowed'))
);
CREATE UNIQUE INDEX "address_signals_provider_id_key" ON "address_signals"("provider_id");
CREATE INDEX "address_signals_channel_address_hash_at_idx" ON "address_signals"("channel", "address_hash", "at" DESC);

-- What a patient wants of a clinic, each time it changed.
CREATE TABLE "message_choices" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "channel" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "because" TEXT NOT NULL,
    "address" BYTEA,
    "words" BYTEA,
    "sender" TEXT,
    "made_by" TEXT,
    "signal_id" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_choices_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "message_choices_channel" CHECK ("channel" IN ('email', 'sms')),
    CONSTRAINT "message_choices_state" CHECK ("state" IN ('stopped', 'allowed')),
    CONSTRAINT "message_choices_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id")
      REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "message_choices_tenant_id_patient_id_signal_id_key"
  ON "message_choices"("tenant_id", "patient_id", "signal_id");
CREATE INDEX "message_choices_tenant_id_patient_id_at_idx" ON "message_choices"("tenant_id", "patient_id", "at" DESC);
SELECT carelane_protect('message_choices'::regclass);
