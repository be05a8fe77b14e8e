-- Keeps `subscription_prices` equal to the items of each subscription. Under row-level security PostgreSQL does not use a
-- JSON index, but does use one on plain columns.
-- Used by: the triggers below
CREATE OR REPLACE FUNCTION carelane_keep_prices() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE TRIGGER subscriptions_made AFTER INSERT ON subscriptions
  FOR EACH ROW EXECUTE FUNCTION carelane_keep_prices();
CREATE OR REPLACE TRIGGER subscriptions_changed AFTER UPDATE OF items ON subscriptions
  FOR EACH ROW WHEN (OLD.items IS DISTINCT FROM NEW.items) EXECUTE FUNCTION carelane_keep_prices();
