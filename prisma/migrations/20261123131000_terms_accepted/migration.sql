-- When a patient accepted the clinic's terms of service at their sign-up.
ALTER TABLE "patients" ADD COLUMN "terms_accepted_at" TIMESTAMPTZ(3);
