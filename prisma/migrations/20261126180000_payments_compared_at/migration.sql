-- Up to when the refunds and disputes of an account are compared with ours: a comparison that fails is made up for by the next.
ALTER TABLE "stripe_reconciles" ADD COLUMN "payments_compared_at" TIMESTAMPTZ(3);
