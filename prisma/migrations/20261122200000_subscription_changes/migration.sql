-- Who has asked for a change of a subscription that is under way at Stripe: whichever reading finds it there first, Stripe's
-- own webhook perhaps, tells it in their name.
ALTER TABLE "subscriptions" ADD COLUMN "asked" JSONB NOT NULL DEFAULT '[]';

-- How a change of prices within a period is billed, unless who changes them says otherwise.
ALTER TABLE "tenants" ADD COLUMN "proration" TEXT NOT NULL DEFAULT 'next_invoice'
  CHECK ("proration" IN ('now', 'next_invoice', 'none'));
