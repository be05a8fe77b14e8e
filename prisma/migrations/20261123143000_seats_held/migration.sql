-- Of a patient's seat: the secret of the tab that sat down, keyed; null once nobody can come back with it.
ALTER TABLE "visit_seats" ADD COLUMN "hold_hash" BYTEA;
