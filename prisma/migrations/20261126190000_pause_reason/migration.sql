-- Why a subscription is paused, in Stripe's words, so that only one that waits for a card is resumed with a card.
ALTER TABLE "subscriptions" ADD COLUMN "pause_reason" TEXT;
