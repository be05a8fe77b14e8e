-- What a subscription is charged to, as far as staff need it: {id, type, brand, last4, exp_month, exp_year}; null where
-- there is nothing to charge. Until Stripe has been asked once, nobody knows.
ALTER TABLE "subscriptions"
  ADD COLUMN "payment_method" JSONB,
  ADD COLUMN "payment_method_known" BOOLEAN NOT NULL DEFAULT false;

-- From when on somebody should look after it; null for never. Made of what is kept and of no clock, so that it can be
-- looked for by an index: what is behind or was never paid at any time; a card from thirty days before it runs out, if
-- anything is to be charged to it; a trial without a card from a week before its end, and as long as it is paused for that.
-- `needs-attention.ts` of the contract says the same in words.
ALTER TABLE "subscriptions" ADD COLUMN "attention_from" TIMESTAMP(3) GENERATED ALWAYS AS (
  CASE
    WHEN "status" IN ('past_due', 'unpaid', 'incomplete') THEN TIMESTAMP '2000-01-01 00:00:00'
    WHEN "status" = 'paused' AND "payment_method_known" AND "payment_method" IS NULL THEN TIMESTAMP '2000-01-01 00:00:00'
    WHEN "status" IN ('trialing', 'active', 'paused')
      AND ("cancel_at" IS NULL OR "current_period_end" IS NULL OR "cancel_at" > "current_period_end") THEN least(
        CASE WHEN jsonb_typeof("payment_method"->'exp_year') = 'number' THEN
          make_timestamp(("payment_method"->>'exp_year')::integer, ("payment_method"->>'exp_month')::integer, 1, 0, 0, 0)
            + INTERVAL '1 month' - INTERVAL '30 days' END,
        CASE WHEN "status" = 'trialing' AND "payment_method_known" AND "payment_method" IS NULL THEN
          ("trial_end" AT TIME ZONE 'UTC') - INTERVAL '7 days' END)
  END
) STORED;
CREATE INDEX "subscriptions_tenant_id_attention_from_idx" ON "subscriptions"("tenant_id", "attention_from");
-- Few of a status are found by it, many by their time: a page of either costs about the same.
CREATE INDEX "subscriptions_tenant_id_status_created_at_id_idx"
  ON "subscriptions"("tenant_id", "status", "created_at" DESC, "id" DESC);

-- Which prices a subscription consists of. PostgreSQL uses no index of JSON under row-level security, but one of these.
CREATE TABLE "subscription_prices" (
    "tenant_id" UUID NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "price_id" TEXT NOT NULL,

    CONSTRAINT "subscription_prices_pkey" PRIMARY KEY ("tenant_id", "subscription_id", "price_id"),
    CONSTRAINT "subscription_prices_tenant_id_subscription_id_fkey" FOREIGN KEY ("tenant_id", "subscription_id")
      REFERENCES "subscriptions"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "subscription_prices_tenant_id_price_id_subscription_id_idx"
  ON "subscription_prices"("tenant_id", "price_id", "subscription_id");
-- The owner sees no tenant's rows otherwise, unless it is a superuser.
ALTER TABLE "subscriptions" NO FORCE ROW LEVEL SECURITY;
INSERT INTO "subscription_prices" ("tenant_id", "subscription_id", "price_id")
  SELECT s."tenant_id", s."id", item->>'price_id' FROM "subscriptions" s, jsonb_array_elements(s."items") item
  ON CONFLICT DO NOTHING;
ALTER TABLE "subscriptions" FORCE ROW LEVEL SECURITY;
SELECT carelane_protect('subscription_prices'::regclass);

-- Whoever writes a subscription has its prices kept with it.
CREATE FUNCTION carelane_keep_prices() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wanted TEXT[] := ARRAY(SELECT DISTINCT item->>'price_id' FROM jsonb_array_elements(NEW."items") item);
BEGIN
  DELETE FROM "subscription_prices"
    WHERE "tenant_id" = NEW."tenant_id" AND "subscription_id" = NEW."id" AND "price_id" <> ALL (wanted);
  INSERT INTO "subscription_prices" ("tenant_id", "subscription_id", "price_id")
    SELECT NEW."tenant_id", NEW."id", price FROM unnest(wanted) price WHERE price IS NOT NULL
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER subscriptions_made AFTER INSERT ON "subscriptions"
  FOR EACH ROW EXECUTE FUNCTION carelane_keep_prices();
CREATE TRIGGER subscriptions_changed AFTER UPDATE OF "items" ON "subscriptions"
  FOR EACH ROW WHEN (OLD."items" IS DISTINCT FROM NEW."items") EXECUTE FUNCTION carelane_keep_prices();
