-- Where a tenant's events are sent to. "position" is the sequence up to which deliveries were made of the feed.
CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "event_types" TEXT[] NOT NULL,
    "payload" TEXT NOT NULL DEFAULT 'thin',
    "contract_version" TEXT NOT NULL,
    "secret" BYTEA NOT NULL,
    "old_secret" BYTEA,
    "old_secret_until" TIMESTAMPTZ(3),
    "chaos" JSONB,
    "position" BIGINT NOT NULL,
    "failing_since" TIMESTAMPTZ(3),
    "failure_told_at" TIMESTAMPTZ(3),
    "off_because" TEXT,
    "off_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_endpoints_payload" CHECK ("payload" IN ('thin', 'snapshot'))
);
CREATE UNIQUE INDEX "webhook_endpoints_tenant_id_id_key" ON "webhook_endpoints"("tenant_id", "id");

-- One event for one endpoint. Of each lane (endpoint, object, live or replayed) one at a time is `waiting` or `sending`;
-- those behind it are `held`, and cost nothing however many there are. The others are over: `delivered`, `parked` after
-- the last try, `recovered` when a replay has made up for that.
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "event_type" TEXT NOT NULL,
    "event_topic" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,
    "kind" TEXT NOT NULL DEFAULT 'live',
    "state" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    -- Processes that died over it.
    "interruptions" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3),
    "lease" UUID,
    "leased_until" TIMESTAMPTZ(3),
    "audited" BOOLEAN NOT NULL DEFAULT false,
    "last_tried_at" TIMESTAMPTZ(3),
    "last_status" INTEGER,
    "last_error" TEXT,
    "last_ms" INTEGER,
    "answer" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_deliveries_kind" CHECK ("kind" IN ('live', 'replay', 'test')),
    CONSTRAINT "webhook_deliveries_state" CHECK ("state" IN ('waiting', 'sending', 'held', 'delivered', 'parked', 'recovered')),
    CONSTRAINT "webhook_deliveries_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id")
      REFERENCES "webhook_endpoints"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "webhook_deliveries_tenant_id_endpoint_id_id_idx"
  ON "webhook_deliveries"("tenant_id", "endpoint_id", "id" DESC);
CREATE INDEX "webhook_deliveries_tenant_id_ended_at_idx" ON "webhook_deliveries"("tenant_id", "ended_at");
-- What is due, and what was being sent by a process that is gone.
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries"("tenant_id", "endpoint_id", "next_try_at", "sequence")
  WHERE "state" = 'waiting';
CREATE INDEX "webhook_deliveries_leased" ON "webhook_deliveries"("tenant_id", "leased_until") WHERE "state" = 'sending';
-- The lanes: no event twice in one, and its last is found at once.
CREATE UNIQUE INDEX "webhook_deliveries_lane"
  ON "webhook_deliveries"("tenant_id", "endpoint_id", "kind", "object_id", "sequence")
  WHERE "state" IN ('waiting', 'sending', 'held');
-- What has not arrived, in order: a cursor stays before it.
CREATE INDEX "webhook_deliveries_missing" ON "webhook_deliveries"("tenant_id", "endpoint_id", "sequence")
  WHERE "kind" = 'live' AND "state" IN ('waiting', 'sending', 'held', 'parked');
CREATE INDEX "webhook_deliveries_parked" ON "webhook_deliveries"("tenant_id", "endpoint_id", "object_id", "sequence")
  WHERE "state" = 'parked';

SELECT carelane_protect('webhook_endpoints'::regclass);
SELECT carelane_protect('webhook_deliveries'::regclass);
