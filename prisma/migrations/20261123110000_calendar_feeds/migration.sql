-- Whoever works here may have their own visits in a calendar program, by a link; of that only a hash is kept.
ALTER TABLE "staff_users"
  ADD COLUMN "calendar_feed_hash" TEXT,
  ADD COLUMN "calendar_feed_at" TIMESTAMPTZ(3);
