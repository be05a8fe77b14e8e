-- A password's proof is taken and counted in one statement, which therefore must find here under what to count it.
ALTER TABLE "sign_in_steps" ADD COLUMN "failure_key" TEXT;

-- A session begins in one statement too; that a repeated request has one already, it learns from this.
CREATE UNIQUE INDEX "patient_sessions_begun_for" ON "patient_sessions" ("tenant_id", "patient_id", "begun_for")
  WHERE "ended_at" IS NULL AND "begun_for" IS NOT NULL;
