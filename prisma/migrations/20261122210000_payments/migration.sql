-- What subscriptions were billed, and what became of it: a row for each invoice of Stripe's that is final, with what was
-- given back or disputed. A copy, as subscriptions are one; lists read it and never ask Stripe.
CREATE TABLE "payments" (
    "tenant_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "patient_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "number" TEXT,
    "currency" TEXT NOT NULL,
    "billing_reason" TEXT,
    "subtotal" BIGINT NOT NULL,
    "discount" BIGINT NOT NULL,
    "tax" BIGINT NOT NULL,
    "total" BIGINT NOT NULL,
    "amount_due" BIGINT NOT NULL,
    "amount_paid" BIGINT NOT NULL,
    "amount_remaining" BIGINT NOT NULL,
    "amount_refunded" BIGINT NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "period_end" TIMESTAMPTZ(3) NOT NULL,
    "paid_at" TIMESTAMPTZ(3),
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "failure" JSONB,
    "invoice_url" TEXT,
    "pdf_url" TEXT,
    "receipt_url" TEXT,
    "payment_intent_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "refunds" JSONB NOT NULL DEFAULT '[]',
    "disputes" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("tenant_id", "id"),
    CONSTRAINT "payments_status" CHECK ("status" IN ('open', 'paid', 'void', 'uncollectible')),
    CONSTRAINT "payments_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id")
      REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "payments_tenant_id_created_at_id_idx" ON "payments"("tenant_id", "created_at" DESC, "id" DESC);
CREATE INDEX "payments_tenant_id_patient_id_created_at_id_idx"
  ON "payments"("tenant_id", "patient_id", "created_at" DESC, "id" DESC);
CREATE INDEX "payments_tenant_id_subscription_id_created_at_id_idx"
  ON "payments"("tenant_id", "subscription_id", "created_at" DESC, "id" DESC);
CREATE INDEX "payments_tenant_id_status_created_at_id_idx"
  ON "payments"("tenant_id", "status", "created_at" DESC, "id" DESC);
-- A refund or dispute names the payment that it is of.
CREATE INDEX "payments_payment_intent_ids_idx" ON "payments" USING GIN ("payment_intent_ids");
SELECT carelane_protect('payments'::regclass);

-- A subscription's payments are read under a ticket of their own, so that readings that overtake one another leave the
-- newest. What happened before `payments_told_from` is kept without an event: nobody waits for last year's payments.
ALTER TABLE "subscriptions"
  ADD COLUMN "payments_ticket" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "payments_synced_ticket" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "payments_checked_at" TIMESTAMPTZ(3),
  ADD COLUMN "payments_told_from" TIMESTAMPTZ(3) DEFAULT now();
ALTER TABLE "subscriptions" ALTER COLUMN "payments_told_from" DROP DEFAULT;
CREATE INDEX "subscriptions_without_payments_idx" ON "subscriptions"("tenant_id", "created_at")
  WHERE "payments_checked_at" IS NULL;
