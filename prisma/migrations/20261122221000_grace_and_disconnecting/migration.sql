-- When the latest invoice was made out, and until when a patient keeps what was bought while a bill is unpaid: of what is
-- there already, the first reading of its payments finds it out.
ALTER TABLE "subscriptions"
  ADD COLUMN "invoiced_at" TIMESTAMPTZ(3),
  ADD COLUMN "grace_until" TIMESTAMPTZ(3);

-- Set where an administrator has said that a subscription of nobody known here is to be left alone.
ALTER TABLE "unknown_subscriptions" ADD COLUMN "left_alone_at" TIMESTAMPTZ(3);
