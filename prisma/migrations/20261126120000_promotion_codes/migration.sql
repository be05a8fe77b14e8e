-- Whether the patient may redeem a promotion code before the first payment; the code that one is being made anew with; and
-- the subscription that took its place.
ALTER TABLE "subscriptions"
  ADD COLUMN "allow_promotion_codes" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "promotion_code" TEXT,
  ADD COLUMN "replaced_by" TEXT;
