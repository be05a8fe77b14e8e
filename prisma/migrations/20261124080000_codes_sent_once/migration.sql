-- Whether a code's message went, so that a stranger who asks again for somebody is not sent another; null while nobody knows.
ALTER TABLE "code_sends" ADD COLUMN "outcome" TEXT;

-- Of a code that was sent to somebody before, and goes on working for who asks again: the id that its hash is made with.
ALTER TABLE "one_time_codes" ADD COLUMN "hashed_as" UUID;

-- Found by what was sent: the code that goes on working, and all rows that it ends.
CREATE INDEX "one_time_codes_tenant_id_send_id_idx" ON "one_time_codes"("tenant_id", "send_id");
