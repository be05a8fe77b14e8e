-- Collecting that was paused at Stripe, which its status does not say: {behavior, resumes_at}. And the products of which the
-- patient has had a free trial by it; none of what was kept before, where the trial's dates and its prices say it.
ALTER TABLE "subscriptions"
  ADD COLUMN "pause_collection" JSONB,
  ADD COLUMN "trial_products" TEXT[] NOT NULL DEFAULT '{}';

-- Whether a patient has a product's free trial once only.
ALTER TABLE "tenants" ADD COLUMN "trial_once" BOOLEAN NOT NULL DEFAULT true;

-- When the customer at Stripe was last told what its patient is called; of those before, it is taken that it was.
ALTER TABLE "processor_customers" ADD COLUMN "told_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now();
