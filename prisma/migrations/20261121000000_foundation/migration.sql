-- Equality operators inside the exclusion constraint. A trusted extension: the database's owner may create it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "tenants" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "invites_enabled" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tenant_routes" (
    "key" TEXT NOT NULL,
    "tenant_id" UUID NOT NULL,

    CONSTRAINT "tenant_routes_pkey" PRIMARY KEY ("key","tenant_id")
);

-- CreateTable
CREATE TABLE "staff_users" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "applications" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "tokens_valid_after" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "applications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "application_secrets" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "application_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "application_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "kid" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "private_key" BYTEA NOT NULL,
    "active_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "patients" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "email" TEXT,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "phone_number" TEXT,
    "phone_number_verified" BOOLEAN NOT NULL DEFAULT false,
    "first_name" TEXT,
    "middle_name" TEXT,
    "last_name" TEXT,
    "birth_date" DATE,
    "administrative_gender" TEXT NOT NULL DEFAULT 'unknown',
    "gender_identity" TEXT,
    "races" TEXT[],
    "ethnicities" JSONB NOT NULL DEFAULT '[]',
    "tag_list" TEXT[],
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "external_id" TEXT,
    "time_zone" TEXT,
    "status" TEXT NOT NULL DEFAULT 'active',
    "can_sign_in" BOOLEAN NOT NULL DEFAULT false,
    "search_text" TEXT NOT NULL DEFAULT '',
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patients_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "patient_phones" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "number" TEXT NOT NULL,
    "label" TEXT,
    "primary" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patient_phones_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "patient_addresses" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "line1" TEXT,
    "line2" TEXT,
    "city" TEXT,
    "state" TEXT,
    "zip" TEXT,
    "country" TEXT,
    "label" TEXT,
    "primary" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patient_addresses_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "integrations" (
    "tenant_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "account_id" TEXT,
    "credentials" BYTEA,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "findings" JSONB NOT NULL DEFAULT '[]',
    "checked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "integrations_pkey" PRIMARY KEY ("tenant_id","provider")
);

-- CreateTable
CREATE TABLE "provider_snapshots" (
    "tenant_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_snapshots_pkey" PRIMARY KEY ("tenant_id","provider","kind")
);

-- CreateTable
CREATE TABLE "processor_customers" (
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "processor_customers_pkey" PRIMARY KEY ("tenant_id","patient_id","account_id")
);

-- CreateTable
CREATE TABLE "subscription_intents" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "request_key" TEXT NOT NULL,
    "params" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "subscription_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscription_intents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "id" TEXT NOT NULL,
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "patient_id" UUID NOT NULL,
    "created_by_client_id" UUID,
    "status" TEXT NOT NULL,
    "name" TEXT,
    "plan_price" BIGINT,
    "currency" TEXT NOT NULL,
    "billing_period" TEXT,
    "billing_interval" INTEGER,
    "items" JSONB NOT NULL DEFAULT '[]',
    "cancel_at_period_end" BOOLEAN NOT NULL DEFAULT false,
    "cancel_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "current_period_start" TIMESTAMPTZ(3),
    "current_period_end" TIMESTAMPTZ(3),
    "trial_start" TIMESTAMPTZ(3),
    "trial_end" TIMESTAMPTZ(3),
    "discount" JSONB,
    "latest_invoice" JSONB,
    "pending_setup_intent" JSONB,
    "ticket" BIGINT NOT NULL DEFAULT 0,
    "synced_ticket" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "checkout_links" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "patient_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checkout_links_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "appointments" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "appointment_type_id" INTEGER NOT NULL,
    "appointment_type" TEXT NOT NULL,
    "calendar_id" INTEGER NOT NULL,
    "calendar" TEXT NOT NULL,
    "practitioner_id" UUID,
    "start_at" TIMESTAMPTZ(3) NOT NULL,
    "end_at" TIMESTAMPTZ(3) NOT NULL,
    "time_zone" TEXT NOT NULL,
    "location" TEXT,
    "video_token" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "pending_change" JSONB,
    "provider_appointment_id" INTEGER,
    "request_key" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 0,
    "canceled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "appointments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "slot_claims" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "appointment_id" UUID NOT NULL,
    "calendar_id" INTEGER NOT NULL,
    "start_at" TIMESTAMPTZ(3) NOT NULL,
    "end_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slot_claims_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "availability_days" (
    "tenant_id" UUID NOT NULL,
    "appointment_type_id" INTEGER NOT NULL,
    "calendar_id" INTEGER NOT NULL,
    "day" TEXT NOT NULL,
    "starts_at" BIGINT[],
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,
    "stale_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "availability_days_pkey" PRIMARY KEY ("tenant_id","appointment_type_id","calendar_id","day")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "tenant_id" UUID NOT NULL,
    "credential" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "status" INTEGER,
    "headers" JSONB,
    "body" BYTEA,
    "locked_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("tenant_id","credential","key")
);

-- CreateTable
CREATE TABLE "events" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "sequence" BIGINT,
    "event_type" TEXT NOT NULL,
    "event_topic" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,
    "author_type" TEXT NOT NULL,
    "author_id" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "action" TEXT NOT NULL,
    "object_type" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "on_behalf_of" TEXT,
    "request_id" TEXT NOT NULL,
    "details" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbound_events" (
    "tenant_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "processed_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,

    CONSTRAINT "inbound_events_pkey" PRIMARY KEY ("tenant_id","provider","id")
);

-- CreateTable
CREATE TABLE "rate_limit_counts" (
    "key" TEXT NOT NULL,
    "window_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "rate_limit_counts_pkey" PRIMARY KEY ("key","window_at")
);

-- CreateIndex
CREATE UNIQUE INDEX "staff_users_tenant_id_email_key" ON "staff_users"("tenant_id", "email");

-- CreateIndex
CREATE INDEX "applications_tenant_id_created_at_idx" ON "applications"("tenant_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "applications_tenant_id_id_key" ON "applications"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "application_secrets_tenant_id_application_id_idx" ON "application_secrets"("tenant_id", "application_id");

-- CreateIndex
CREATE INDEX "patients_tenant_id_created_at_id_idx" ON "patients"("tenant_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "patients_tenant_id_updated_at_id_idx" ON "patients"("tenant_id", "updated_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "patients_tenant_id_id_key" ON "patients"("tenant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "patients_tenant_id_email_key" ON "patients"("tenant_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "patients_tenant_id_external_id_key" ON "patients"("tenant_id", "external_id");

-- CreateIndex
CREATE INDEX "patient_phones_tenant_id_patient_id_idx" ON "patient_phones"("tenant_id", "patient_id");

-- CreateIndex
CREATE INDEX "patient_phones_tenant_id_number_idx" ON "patient_phones"("tenant_id", "number");

-- CreateIndex
CREATE INDEX "patient_addresses_tenant_id_patient_id_idx" ON "patient_addresses"("tenant_id", "patient_id");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_intents_tenant_id_request_key_key" ON "subscription_intents"("tenant_id", "request_key");

-- CreateIndex
CREATE INDEX "subscriptions_tenant_id_patient_id_created_at_idx" ON "subscriptions"("tenant_id", "patient_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "subscriptions_tenant_id_created_at_id_idx" ON "subscriptions"("tenant_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "checkout_links_tenant_id_subscription_id_idx" ON "checkout_links"("tenant_id", "subscription_id");

-- CreateIndex
CREATE UNIQUE INDEX "checkout_links_tenant_id_token_hash_key" ON "checkout_links"("tenant_id", "token_hash");

-- CreateIndex
CREATE INDEX "appointments_tenant_id_patient_id_start_at_idx" ON "appointments"("tenant_id", "patient_id", "start_at" DESC);

-- CreateIndex
CREATE INDEX "appointments_tenant_id_start_at_id_idx" ON "appointments"("tenant_id", "start_at", "id");

-- CreateIndex
CREATE INDEX "appointments_tenant_id_status_updated_at_idx" ON "appointments"("tenant_id", "status", "updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "appointments_tenant_id_id_key" ON "appointments"("tenant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "appointments_tenant_id_video_token_key" ON "appointments"("tenant_id", "video_token");

-- CreateIndex
CREATE UNIQUE INDEX "appointments_tenant_id_provider_appointment_id_key" ON "appointments"("tenant_id", "provider_appointment_id");

-- CreateIndex
CREATE UNIQUE INDEX "appointments_tenant_id_request_key_key" ON "appointments"("tenant_id", "request_key");

-- CreateIndex
CREATE INDEX "slot_claims_tenant_id_appointment_id_idx" ON "slot_claims"("tenant_id", "appointment_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_tenant_id_created_at_idx" ON "idempotency_keys"("tenant_id", "created_at");

-- CreateIndex
CREATE INDEX "events_tenant_id_position_idx" ON "events"("tenant_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "events_tenant_id_sequence_key" ON "events"("tenant_id", "sequence");

-- CreateIndex
CREATE INDEX "audit_entries_tenant_id_position_idx" ON "audit_entries"("tenant_id", "position");

-- CreateIndex
CREATE INDEX "audit_entries_tenant_id_object_type_object_id_idx" ON "audit_entries"("tenant_id", "object_type", "object_id");

-- CreateIndex
CREATE INDEX "inbound_events_tenant_id_processed_at_received_at_idx" ON "inbound_events"("tenant_id", "processed_at", "received_at");

-- AddForeignKey
ALTER TABLE "application_secrets" ADD CONSTRAINT "application_secrets_tenant_id_application_id_fkey" FOREIGN KEY ("tenant_id", "application_id") REFERENCES "applications"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_phones" ADD CONSTRAINT "patient_phones_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_addresses" ADD CONSTRAINT "patient_addresses_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "slot_claims" ADD CONSTRAINT "slot_claims_tenant_id_appointment_id_fkey" FOREIGN KEY ("tenant_id", "appointment_id") REFERENCES "appointments"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;


-- Tenants are kept apart by PostgreSQL itself. A connection without app.tenant_id (never set, or set to the empty
-- text) fails on its first query of a protected table: current_setting() or the cast to uuid raises an error.
CREATE FUNCTION carelane_protect(target regclass, tenant_column name DEFAULT 'tenant_id') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format(
    'CREATE POLICY tenant ON %s USING (%I = (SELECT current_setting(''app.tenant_id'')::uuid)) WITH CHECK (%I = (SELECT current_setting(''app.tenant_id'')::uuid))',
    target, tenant_column, tenant_column);
END $$;

SELECT carelane_protect('tenants', 'id');
SELECT carelane_protect(t::regclass) FROM unnest(ARRAY[
  'staff_users', 'applications', 'application_secrets', 'patients', 'patient_phones', 'patient_addresses',
  'integrations', 'provider_snapshots', 'processor_customers', 'subscription_intents', 'subscriptions',
  'checkout_links', 'appointments', 'slot_claims', 'availability_days', 'idempotency_keys', 'events',
  'audit_entries', 'inbound_events'
]) AS t;

-- A route is read by its exact key, or by its own tenant; it is written by its own tenant only. Reading with neither
-- fails like every other table.
CREATE FUNCTION carelane_route_key() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF coalesce(current_setting('app.route_key', true), '') = '' THEN
    RETURN current_setting('app.tenant_id')::uuid::text;
  END IF;
  RETURN current_setting('app.route_key');
END $$;
ALTER TABLE tenant_routes ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_routes FORCE ROW LEVEL SECURITY;
CREATE POLICY read_by_key ON tenant_routes FOR SELECT
  USING (key = (SELECT carelane_route_key()) OR tenant_id::text = (SELECT carelane_route_key()));
CREATE POLICY insert_own ON tenant_routes FOR INSERT
  WITH CHECK (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
CREATE POLICY delete_own ON tenant_routes FOR DELETE
  USING (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));
CREATE POLICY update_own ON tenant_routes FOR UPDATE
  USING (tenant_id = (SELECT current_setting('app.tenant_id')::uuid))
  WITH CHECK (tenant_id = (SELECT current_setting('app.tenant_id')::uuid));

-- No two appointments hold overlapping times of one calendar. An appointment may hold two of its own while it moves.
ALTER TABLE slot_claims ADD CONSTRAINT slot_claims_in_order CHECK (start_at < end_at);
ALTER TABLE slot_claims ADD CONSTRAINT slot_claims_no_overlap EXCLUDE USING gist (
  tenant_id WITH =, calendar_id WITH =, tstzrange(start_at, end_at) WITH &&, appointment_id WITH <>);

-- At most one primary phone and address; a primary phone is active.
ALTER TABLE patient_phones ADD CONSTRAINT patient_phones_one_primary EXCLUDE (patient_id WITH =) WHERE ("primary");
ALTER TABLE patient_addresses ADD CONSTRAINT patient_addresses_one_primary EXCLUDE (patient_id WITH =) WHERE ("primary");
ALTER TABLE patient_phones ADD CONSTRAINT patient_phones_primary_active CHECK (active OR NOT "primary");

ALTER TABLE staff_users ADD CONSTRAINT staff_users_role CHECK (role IN ('practitioner', 'admin'));
ALTER TABLE applications ADD CONSTRAINT applications_kind CHECK (kind IN ('server', 'passwordless', 'credentials'));
ALTER TABLE patients ADD CONSTRAINT patients_status CHECK (status IN ('active', 'invited', 'archived'));
ALTER TABLE appointments ADD CONSTRAINT appointments_status CHECK (status IN ('pending', 'scheduled', 'canceled', 'no_show', 'failed'));

-- The audit log only grows.
CREATE FUNCTION carelane_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION carelane_append_only();
