-- CreateTable
CREATE TABLE "sign_up_attempts" (
    "tenant_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "person" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "patient_id" UUID,
    "client_id" UUID NOT NULL,
    "content" BYTEA NOT NULL,
    "made_record" BOOLEAN NOT NULL,
    "user_agent" TEXT,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_up_attempts_pkey" PRIMARY KEY ("tenant_id","key")
);

-- CreateIndex
CREATE INDEX "sign_up_attempts_tenant_id_person_created_at_idx" ON "sign_up_attempts"("tenant_id", "person", "created_at");

-- CreateIndex
CREATE INDEX "sign_up_attempts_tenant_id_patient_id_idx" ON "sign_up_attempts"("tenant_id", "patient_id");

-- CreateIndex
CREATE INDEX "sign_up_attempts_tenant_id_asked_at_idx" ON "sign_up_attempts"("tenant_id", "asked_at");

-- AddForeignKey
ALTER TABLE "sign_up_attempts" ADD CONSTRAINT "sign_up_attempts_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT carelane_protect('sign_up_attempts'::regclass);

-- The temporary password of an invitation, encrypted, so that it can be mailed again.
ALTER TABLE "patient_sign_ins" ADD COLUMN "invitation" BYTEA;
