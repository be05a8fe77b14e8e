-- CreateTable
CREATE TABLE "patient_sign_ins" (
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "phone_number" TEXT,
    "srp_identity" TEXT,
    "salt" TEXT,
    "verifier" BYTEA,
    "kdf" JSONB,
    "temporary_until" TIMESTAMPTZ(3),
    "confirmed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patient_sign_ins_pkey" PRIMARY KEY ("tenant_id","patient_id")
);

-- CreateTable
CREATE TABLE "patient_sessions" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "user_agent" TEXT,
    "network" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patient_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refresh_tokens" (
    "tenant_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "session_id" UUID NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("tenant_id","hash")
);

-- CreateTable
CREATE TABLE "one_time_codes" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "person" TEXT NOT NULL,
    "patient_id" UUID,
    "client_id" UUID NOT NULL,
    "challenge_hash" TEXT,
    "code_hash" TEXT NOT NULL,
    "target" BYTEA,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "used_for" TEXT,
    "session_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "one_time_codes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_steps" (
    "tenant_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "patient_id" UUID,
    "client_id" UUID NOT NULL,
    "state" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_in_steps_pkey" PRIMARY KEY ("tenant_id","token_hash")
);

-- CreateTable
CREATE TABLE "code_sends" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "person" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "code_sends_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_failures" (
    "tenant_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "blocked_until" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_failures_pkey" PRIMARY KEY ("tenant_id","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "patient_sign_ins_tenant_id_phone_number_key" ON "patient_sign_ins"("tenant_id", "phone_number");

-- CreateIndex
CREATE INDEX "patient_sessions_tenant_id_patient_id_created_at_idx" ON "patient_sessions"("tenant_id", "patient_id", "created_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "patient_sessions_tenant_id_id_key" ON "patient_sessions"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "refresh_tokens_tenant_id_session_id_idx" ON "refresh_tokens"("tenant_id", "session_id");

-- CreateIndex
CREATE UNIQUE INDEX "one_time_codes_tenant_id_purpose_person_key" ON "one_time_codes"("tenant_id", "purpose", "person");

-- CreateIndex
CREATE UNIQUE INDEX "one_time_codes_tenant_id_challenge_hash_key" ON "one_time_codes"("tenant_id", "challenge_hash");

-- CreateIndex
CREATE INDEX "sign_in_steps_tenant_id_expires_at_idx" ON "sign_in_steps"("tenant_id", "expires_at");

-- CreateIndex
CREATE INDEX "sign_in_steps_tenant_id_patient_id_idx" ON "sign_in_steps"("tenant_id", "patient_id");

-- CreateIndex
CREATE INDEX "code_sends_tenant_id_person_sent_at_idx" ON "code_sends"("tenant_id", "person", "sent_at");

-- CreateIndex
CREATE INDEX "code_sends_tenant_id_sent_at_idx" ON "code_sends"("tenant_id", "sent_at");

-- AddForeignKey
ALTER TABLE "patient_sign_ins" ADD CONSTRAINT "patient_sign_ins_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_sessions" ADD CONSTRAINT "patient_sessions_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_tenant_id_session_id_fkey" FOREIGN KEY ("tenant_id", "session_id") REFERENCES "patient_sessions"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT carelane_protect(t::regclass) FROM unnest(ARRAY[
  'patient_sign_ins', 'patient_sessions', 'refresh_tokens', 'one_time_codes', 'sign_in_steps', 'code_sends',
  'sign_in_failures'
]) AS t;

ALTER TABLE one_time_codes ADD CONSTRAINT one_time_codes_purpose CHECK (purpose IN ('sign_in', 'confirm', 'reset', 'email', 'phone'));
ALTER TABLE sign_in_steps ADD CONSTRAINT sign_in_steps_kind CHECK (kind IN ('srp', 'continuation'));
ALTER TABLE patient_sign_ins ADD CONSTRAINT patient_sign_ins_whole CHECK (
  num_nonnulls(srp_identity, salt, verifier, kdf) IN (0, 4));
