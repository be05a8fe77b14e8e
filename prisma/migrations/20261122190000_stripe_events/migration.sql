-- What an event of Stripe's says of itself, so that it is dealt with later as it came: whose account, and when.
-- `found_by` is set on events that no webhook brought; `delivered_at` when one came after all.
ALTER TABLE "inbound_events"
  ADD COLUMN "account_id" TEXT,
  ADD COLUMN "occurred_at" TIMESTAMPTZ(3),
  ADD COLUMN "found_by" TEXT,
  ADD COLUMN "delivered_at" TIMESTAMPTZ(3);
-- What waits to be applied to one object, and when a webhook last came.
CREATE INDEX "inbound_events_waiting_idx" ON "inbound_events"("tenant_id", "provider", "object_id")
  WHERE "processed_at" IS NULL;
CREATE INDEX "inbound_events_tenant_id_provider_received_at_idx" ON "inbound_events"("tenant_id", "provider", "received_at" DESC);

-- When the copy was last known to be what Stripe says.
ALTER TABLE "subscriptions" ADD COLUMN "checked_at" TIMESTAMPTZ(3);

-- Set when the customer was deleted at Stripe; the next subscription makes another.
ALTER TABLE "processor_customers" ADD COLUMN "deleted_at" TIMESTAMPTZ(3);
CREATE INDEX "processor_customers_tenant_id_account_id_customer_id_idx"
  ON "processor_customers"("tenant_id", "account_id", "customer_id");

-- How far each account's events were read, and its subscriptions compared with our copies.
CREATE TABLE "stripe_reconciles" (
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "runner" UUID,
    "leased_until" TIMESTAMPTZ(3),
    "last_event_id" TEXT,
    "previous_event_id" TEXT,
    "pass_started_at" TIMESTAMPTZ(3),
    "pass_after" TEXT,
    "pass_pages" INTEGER NOT NULL DEFAULT 0,
    "pass_ended_at" TIMESTAMPTZ(3),
    "compared" INTEGER NOT NULL DEFAULT 0,
    "differing" INTEGER NOT NULL DEFAULT 0,
    "last_run_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "repaired" BIGINT NOT NULL DEFAULT 0,
    "silent_since" TIMESTAMPTZ(3),

    CONSTRAINT "stripe_reconciles_pkey" PRIMARY KEY ("tenant_id", "account_id")
);
SELECT carelane_protect('stripe_reconciles'::regclass);

-- What was put right here because no webhook had told of it.
CREATE TABLE "stripe_repairs" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "found_by" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stripe_repairs_pkey" PRIMARY KEY ("tenant_id", "id")
);
CREATE INDEX "stripe_repairs_tenant_id_created_at_idx" ON "stripe_repairs"("tenant_id", "created_at" DESC);
SELECT carelane_protect('stripe_repairs'::regclass);

-- Subscriptions at Stripe whose customer is no patient here.
CREATE TABLE "unknown_subscriptions" (
    "tenant_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "name" TEXT,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unknown_subscriptions_pkey" PRIMARY KEY ("tenant_id", "id")
);
SELECT carelane_protect('unknown_subscriptions'::regclass);
