-- Which of two live secrets is still in use, so that an admin knows when the old one may go.
ALTER TABLE "application_secrets" ADD COLUMN "last_used_at" TIMESTAMPTZ(3);

-- Which one was used so far is not known: rather each of them than one that is in use and looks as if it were not.
ALTER TABLE "applications" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "application_secrets" NO FORCE ROW LEVEL SECURITY;
UPDATE "application_secrets" s SET "last_used_at" = a."last_used_at"
  FROM "applications" a WHERE a."id" = s."application_id" AND a."tenant_id" = s."tenant_id";
ALTER TABLE "applications" FORCE ROW LEVEL SECURITY;
ALTER TABLE "application_secrets" FORCE ROW LEVEL SECURITY;
