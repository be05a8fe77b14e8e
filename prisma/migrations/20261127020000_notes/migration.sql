CREATE TABLE "notes" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "appointment_id" UUID,
    "body" BYTEA,
    "version" INTEGER NOT NULL DEFAULT 1,
    "pinned_at" TIMESTAMPTZ(3),
    "created_by_type" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by_type" TEXT NOT NULL,
    "updated_by" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notes_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "notes_tenant_id_id_key" ON "notes"("tenant_id", "id");
CREATE INDEX "notes_tenant_id_patient_id_created_at_id_idx" ON "notes"("tenant_id", "patient_id", "created_at" DESC, "id" DESC);
CREATE INDEX "notes_tenant_id_appointment_id_created_at_id_idx" ON "notes"("tenant_id", "appointment_id", "created_at" DESC, "id" DESC);
ALTER TABLE "notes" ADD CONSTRAINT "notes_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TABLE "note_versions" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "note_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "body" BYTEA,
    "written_by_type" TEXT NOT NULL,
    "written_by" TEXT NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "note_versions_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "note_versions_tenant_id_note_id_version_key" ON "note_versions"("tenant_id", "note_id", "version");
CREATE INDEX "note_versions_tenant_id_patient_id_idx" ON "note_versions"("tenant_id", "patient_id");
ALTER TABLE "note_versions" ADD CONSTRAINT "note_versions_tenant_id_note_id_fkey" FOREIGN KEY ("tenant_id", "note_id") REFERENCES "notes"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TABLE "note_drafts" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "staff_user_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "target_type" TEXT NOT NULL,
    "target_id" UUID NOT NULL,
    "version" INTEGER,
    "body" BYTEA NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "note_drafts_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "note_drafts_tenant_id_staff_user_id_target_type_target_id_key" ON "note_drafts"("tenant_id", "staff_user_id", "target_type", "target_id");
CREATE INDEX "note_drafts_tenant_id_patient_id_idx" ON "note_drafts"("tenant_id", "patient_id");
CREATE INDEX "note_drafts_tenant_id_updated_at_idx" ON "note_drafts"("tenant_id", "updated_at");
ALTER TABLE "note_drafts" ADD CONSTRAINT "note_drafts_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
