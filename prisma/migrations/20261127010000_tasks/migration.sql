CREATE TABLE "tasks" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID,
    "title" TEXT NOT NULL,
    "note" BYTEA,
    "due_date" DATE NOT NULL,
    "assignee_id" UUID,
    "assignee_role" TEXT,
    "subject_type" TEXT,
    "subject_id" TEXT,
    "created_by_type" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "completed_by_type" TEXT,
    "completed_by" TEXT,
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "tasks_one_assignee" CHECK ("assignee_id" IS NULL OR "assignee_role" IS NULL),
    CONSTRAINT "tasks_subject" CHECK (("subject_type" IS NULL) = ("subject_id" IS NULL)),
    CONSTRAINT "tasks_completed" CHECK (("completed_at" IS NULL) = ("completed_by" IS NULL) AND ("completed_at" IS NULL) = ("completed_by_type" IS NULL))
);
CREATE INDEX "tasks_open_idx" ON "tasks"("tenant_id", "due_date", "id") WHERE "completed_at" IS NULL;
CREATE INDEX "tasks_completed_idx" ON "tasks"("tenant_id", "completed_at" DESC, "id" DESC) WHERE "completed_at" IS NOT NULL;
CREATE INDEX "tasks_tenant_id_due_date_id_idx" ON "tasks"("tenant_id", "due_date", "id");
CREATE INDEX "tasks_tenant_id_assignee_id_completed_at_id_idx" ON "tasks"("tenant_id", "assignee_id", "completed_at" DESC, "id" DESC);
CREATE INDEX "tasks_tenant_id_assignee_role_completed_at_id_idx" ON "tasks"("tenant_id", "assignee_role", "completed_at" DESC, "id" DESC);
CREATE INDEX "tasks_tenant_id_subject_id_idx" ON "tasks"("tenant_id", "subject_id");
CREATE INDEX "tasks_tenant_id_patient_id_idx" ON "tasks"("tenant_id", "patient_id");
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
