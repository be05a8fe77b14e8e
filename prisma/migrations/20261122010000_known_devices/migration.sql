-- CreateTable
CREATE TABLE "known_devices" (
    "tenant_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "patient_id" UUID,
    "staff_user_id" UUID,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "known_devices_pkey" PRIMARY KEY ("tenant_id","hash")
);

-- CreateIndex
CREATE INDEX "known_devices_tenant_id_patient_id_idx" ON "known_devices"("tenant_id", "patient_id");

-- CreateIndex
CREATE INDEX "known_devices_tenant_id_staff_user_id_idx" ON "known_devices"("tenant_id", "staff_user_id");

-- AddForeignKey
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_tenant_id_staff_user_id_fkey" FOREIGN KEY ("tenant_id", "staff_user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT carelane_protect('known_devices'::regclass);

ALTER TABLE known_devices ADD CONSTRAINT known_devices_of_one CHECK (num_nonnulls(patient_id, staff_user_id) <= 1);
