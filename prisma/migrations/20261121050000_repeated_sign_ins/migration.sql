-- A sign-in that is repeated because its answer was lost takes the place of the session that nobody holds.
ALTER TABLE "patient_sessions" ADD COLUMN "begun_for" TEXT;
