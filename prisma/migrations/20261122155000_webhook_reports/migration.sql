-- Of what was sent last, all that cannot be read from the event: when, with which signature, and how far the receiver had
-- everything. The body itself is made of the event anew, so that what is erased there stands nowhere else.
ALTER TABLE "webhook_deliveries" ADD COLUMN "sent" JSONB;
-- What became of one event, at each endpoint.
CREATE INDEX "webhook_deliveries_tenant_id_event_id_idx" ON "webhook_deliveries"("tenant_id", "event_id");

-- How an endpoint fares: its tries, counted by the hour in which they ended. A look at it reads a row an hour, however
-- much was sent.
CREATE TABLE "webhook_hours" (
    "tenant_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_hours_pkey" PRIMARY KEY ("tenant_id", "endpoint_id", "hour"),
    CONSTRAINT "webhook_hours_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id")
      REFERENCES "webhook_endpoints"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);

SELECT carelane_protect('webhook_hours'::regclass);
