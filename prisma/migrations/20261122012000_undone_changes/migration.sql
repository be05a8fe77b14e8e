-- AlterTable
ALTER TABLE "patient_sign_ins" ADD COLUMN "reset_required_at" TIMESTAMPTZ(3), ADD COLUMN "reset_by" TEXT;

-- CreateTable
CREATE TABLE "address_changes" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "kept" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "undone_at" TIMESTAMPTZ(3),
    "restored" BOOLEAN,
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "address_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_helps" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "staff_user_id" TEXT NOT NULL,
    "way" TEXT NOT NULL,
    "identity_check" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_helps_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "address_changes_tenant_id_token_hash_key" ON "address_changes"("tenant_id", "token_hash");

-- CreateIndex
CREATE INDEX "address_changes_tenant_id_patient_id_created_at_idx" ON "address_changes"("tenant_id", "patient_id", "created_at");

-- CreateIndex
CREATE INDEX "address_changes_tenant_id_expires_at_idx" ON "address_changes"("tenant_id", "expires_at");

-- CreateIndex
CREATE INDEX "sign_in_helps_tenant_id_patient_id_created_at_idx" ON "sign_in_helps"("tenant_id", "patient_id", "created_at" DESC);

-- AddForeignKey
ALTER TABLE "address_changes" ADD CONSTRAINT "address_changes_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_helps" ADD CONSTRAINT "sign_in_helps_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT carelane_protect(t::regclass) FROM unnest(ARRAY['address_changes', 'sign_in_helps']) AS t;

ALTER TABLE address_changes ADD CONSTRAINT address_changes_kind CHECK (kind IN ('email', 'phone'));
ALTER TABLE address_changes ADD CONSTRAINT address_changes_undone CHECK ((undone_at IS NULL) = (restored IS NULL));
ALTER TABLE sign_in_helps ADD CONSTRAINT sign_in_helps_way CHECK (way IN ('email', 'phone'));
ALTER TABLE patient_sign_ins ADD CONSTRAINT patient_sign_ins_reset CHECK (
  (reset_required_at IS NULL) = (reset_by IS NULL) AND reset_by IN ('password', 'staff'));
ALTER TABLE one_time_codes DROP CONSTRAINT one_time_codes_purpose, ADD CONSTRAINT one_time_codes_purpose
  CHECK (purpose IN ('sign_in', 'confirm', 'reset', 'email', 'phone', 'proof'));
ALTER TABLE sign_in_steps DROP CONSTRAINT sign_in_steps_kind, ADD CONSTRAINT sign_in_steps_kind
  CHECK (kind IN ('srp', 'continuation', 'proof'));
