-- Whose code it was, for what, and whether its code was told: what was answered holds nobody up any more.
ALTER TABLE "code_sends"
  ADD COLUMN "purpose" TEXT NOT NULL DEFAULT '',
  ADD COLUMN "known" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "texted" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "proof" TEXT,
  ADD COLUMN "answered_at" TIMESTAMPTZ(3);
-- Of numbers only: mail domains are not known.
ALTER TABLE "code_sends" ALTER COLUMN "prefix" DROP NOT NULL;
-- A solved challenge works once.
CREATE UNIQUE INDEX "code_sends_tenant_id_proof_key" ON "code_sends"("tenant_id", "proof");
ALTER TABLE "one_time_codes" ADD COLUMN "send_id" UUID;

-- Failures in a row, over all devices that are not known, close sign-in by password to these.
ALTER TABLE "sign_in_failures"
  ADD COLUMN "in_row" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "closed_at" TIMESTAMPTZ(3),
  ADD COLUMN "told_at" TIMESTAMPTZ(3),
  ADD COLUMN "approved_until" TIMESTAMPTZ(3);
ALTER TABLE "sign_in_steps" ADD COLUMN "row_key" TEXT;
ALTER TABLE "sign_in_steps" DROP CONSTRAINT "sign_in_steps_kind";
ALTER TABLE "sign_in_steps" ADD CONSTRAINT "sign_in_steps_kind" CHECK (kind IN ('srp', 'continuation', 'proof', 'reopening'));
