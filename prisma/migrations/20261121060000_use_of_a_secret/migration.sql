-- Which of two live secrets is still in use, so that an admin knows when the old one may go.
ALTER TABLE "application_secrets" ADD COLUMN "last_used_at" TIMESTAMPTZ(3);
