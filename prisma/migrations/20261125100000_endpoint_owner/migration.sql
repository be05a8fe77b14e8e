-- The application that made an endpoint or changed it last; null where staff made it or switched it on again. With
-- "needs_review" an administrator has to look at it: it has been sent health data since before that needed a scope.
ALTER TABLE "webhook_endpoints"
  ADD COLUMN "application_id" UUID,
  ADD COLUMN "needs_review" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "webhook_endpoints" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "audit_entries" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "applications" NO FORCE ROW LEVEL SECURITY;
UPDATE "webhook_endpoints" e SET "application_id" = a."actor_id"::uuid, "needs_review" = e."payload" = 'snapshot'
  FROM "audit_entries" a
  WHERE a."tenant_id" = e."tenant_id" AND a."object_type" = 'WebhookEndpoint' AND a."object_id" = e."id"::text
    AND a."action" = 'webhooks.create' AND a."actor_type" = 'Application';
UPDATE "webhook_endpoints" e SET "enabled" = false, "off_because" = 'application_revoked', "off_at" = now()
  FROM "applications" a
  WHERE a."tenant_id" = e."tenant_id" AND a."id" = e."application_id" AND a."revoked_at" IS NOT NULL AND e."enabled";
ALTER TABLE "webhook_endpoints" FORCE ROW LEVEL SECURITY;
ALTER TABLE "audit_entries" FORCE ROW LEVEL SECURITY;
ALTER TABLE "applications" FORCE ROW LEVEL SECURITY;
