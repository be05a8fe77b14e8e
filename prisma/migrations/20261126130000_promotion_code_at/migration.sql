-- Since when a promotion code is being redeemed, so that a request that failed does not keep another code out.
ALTER TABLE "subscriptions" ADD COLUMN "promotion_code_at" TIMESTAMPTZ(3);
