-- All tables of the first release. Functions, triggers, policies and the rights on the log's tables stand in `prisma/sql`;
-- what a table is for, in `prisma/schema.prisma`. A migration that was applied is never edited.

-- Equality operators for the exclusion constraints. A trusted extension: the database's owner may create it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE TABLE "tenants" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "invites_enabled" BOOLEAN NOT NULL DEFAULT false,
    "invitation_url" TEXT,
    "reset_url" TEXT,
    "confirmation_url" TEXT,
    "brand_colour" TEXT,
    "support_phone" TEXT,
    "support_email" TEXT,
    "terms_url" TEXT,
    "privacy_url" TEXT,
    "proration" TEXT NOT NULL DEFAULT 'next_invoice',
    "trial_end" TEXT NOT NULL DEFAULT 'cancel',
    "trial_once" BOOLEAN NOT NULL DEFAULT true,
    "grace_days" INTEGER NOT NULL DEFAULT 7,
    "may_cancel_themselves" BOOLEAN NOT NULL DEFAULT true,
    "may_change_plan_themselves" BOOLEAN NOT NULL DEFAULT true,
    "visit_check" TEXT NOT NULL DEFAULT 'none',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenants_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "tenants_proration_check" CHECK ("proration" IN ('now', 'next_invoice', 'none')),
    CONSTRAINT "tenants_trial_end_check" CHECK ("trial_end" IN ('cancel', 'pause', 'past_due')),
    CONSTRAINT "tenants_grace_days_check" CHECK ("grace_days" BETWEEN 0 AND 90),
    CONSTRAINT "tenants_visit_check" CHECK ("visit_check" IN ('none', 'date_of_birth', 'sign_in'))
);

CREATE TABLE "tenant_logos" (
    "tenant_id" UUID NOT NULL,
    "png" BYTEA NOT NULL,
    "digest" TEXT NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_logos_pkey" PRIMARY KEY ("tenant_id"),
    CONSTRAINT "tenant_logos_size" CHECK (octet_length("png") <= 256000)
);

CREATE TABLE "tenant_routes" (
    "key" TEXT NOT NULL,
    "tenant_id" UUID NOT NULL,

    CONSTRAINT "tenant_routes_pkey" PRIMARY KEY ("key","tenant_id")
);
CREATE INDEX "tenant_routes_tenant_id_idx" ON "tenant_routes"("tenant_id");

CREATE TABLE "staff_users" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "password_hash" TEXT,
    "last_signed_in_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "calendar_feed_hash" TEXT,
    "calendar_feed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_users_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "staff_users_role" CHECK ("role" IN ('practitioner', 'admin'))
);
CREATE UNIQUE INDEX "staff_users_tenant_id_email_key" ON "staff_users"("tenant_id", "email");
CREATE UNIQUE INDEX "staff_users_tenant_id_id_key" ON "staff_users"("tenant_id", "id");

CREATE TABLE "daily_lists" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "hour" INTEGER NOT NULL,
    "time_zone" TEXT,
    "on_empty_days" BOOLEAN NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "day" TEXT,
    "state" TEXT,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "claimed_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "daily_lists_pkey" PRIMARY KEY ("tenant_id","user_id"),
    CONSTRAINT "daily_lists_hour" CHECK ("hour" BETWEEN 0 AND 23),
    CONSTRAINT "daily_lists_state" CHECK ("state" IN ('sending', 'again', 'sent', 'empty', 'failed', 'unknown'))
);
CREATE INDEX "daily_lists_tenant_id_due_at_idx" ON "daily_lists"("tenant_id", "due_at");

CREATE TABLE "staff_sessions" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_sessions_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "staff_sessions_tenant_id_user_id_created_at_idx" ON "staff_sessions"("tenant_id", "user_id", "created_at" DESC);

CREATE TABLE "staff_two_steps" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "secret" BYTEA,
    "pending_secret" BYTEA,
    "last_step" INTEGER NOT NULL DEFAULT 0,
    "turned_on_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_two_steps_pkey" PRIMARY KEY ("tenant_id","user_id"),
    CONSTRAINT "staff_two_steps_whole" CHECK (("secret" IS NULL) = ("turned_on_at" IS NULL))
);

CREATE TABLE "staff_recovery_codes" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "staff_recovery_codes_pkey" PRIMARY KEY ("tenant_id","user_id","hash")
);

CREATE TABLE "staff_links" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_links_pkey" PRIMARY KEY ("tenant_id","user_id","purpose"),
    CONSTRAINT "staff_links_purpose" CHECK ("purpose" IN ('invitation', 'reset'))
);
CREATE UNIQUE INDEX "staff_links_tenant_id_token_hash_key" ON "staff_links"("tenant_id", "token_hash");

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

    CONSTRAINT "applications_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "applications_kind" CHECK ("kind" IN ('server', 'passwordless', 'credentials'))
);
CREATE INDEX "applications_tenant_id_created_at_idx" ON "applications"("tenant_id", "created_at");
CREATE UNIQUE INDEX "applications_tenant_id_id_key" ON "applications"("tenant_id", "id");

CREATE TABLE "application_secrets" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "application_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "application_secrets_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "application_secrets_tenant_id_application_id_idx" ON "application_secrets"("tenant_id", "application_id");

CREATE TABLE "signing_keys" (
    "kid" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "private_key" BYTEA NOT NULL,
    "active_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("kid")
);

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
    "language" TEXT,
    "status" TEXT NOT NULL DEFAULT 'active',
    "can_sign_in" BOOLEAN NOT NULL DEFAULT false,
    "signed_in_before" BOOLEAN NOT NULL DEFAULT false,
    "search_text" TEXT NOT NULL DEFAULT '',
    -- The order of a card index: last name, then first, without accents and case; a patient without a name comes last.
    -- Compared by code point, so that every system orders it alike.
    "sort_name" TEXT COLLATE "C" GENERATED ALWAYS AS (
        lower(regexp_replace(
            normalize(coalesce("last_name" || E'\x01' || coalesce("first_name", ''), "first_name", '~'), NFKD),
            '[\u0300-\u036f]', '', 'g'))
    ) STORED,
    "terms_accepted_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),
    "care_ending_at" TIMESTAMPTZ(3),
    "care_ending_problems" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patients_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "patients_status" CHECK ("status" IN ('active', 'invited', 'archived'))
);
CREATE INDEX "patients_tenant_id_sort_name_id_idx" ON "patients"("tenant_id", "sort_name", "id");
CREATE INDEX "patients_tenant_id_created_at_id_idx" ON "patients"("tenant_id", "created_at" DESC, "id" DESC);
CREATE INDEX "patients_tenant_id_updated_at_id_idx" ON "patients"("tenant_id", "updated_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "patients_tenant_id_id_key" ON "patients"("tenant_id", "id");
CREATE UNIQUE INDEX "patients_tenant_id_email_key" ON "patients"("tenant_id", "email");
CREATE UNIQUE INDEX "patients_tenant_id_external_id_key" ON "patients"("tenant_id", "external_id");

CREATE TABLE "patient_phones" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "number" TEXT NOT NULL,
    "label" TEXT,
    "primary" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patient_phones_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "patient_phones_primary_active" CHECK ("active" OR NOT "primary"),
    -- At most one is primary.
    CONSTRAINT "patient_phones_one_primary" EXCLUDE ("patient_id" WITH =) WHERE ("primary")
);
CREATE INDEX "patient_phones_tenant_id_patient_id_idx" ON "patient_phones"("tenant_id", "patient_id");
CREATE INDEX "patient_phones_tenant_id_number_idx" ON "patient_phones"("tenant_id", "number");

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

    CONSTRAINT "patient_addresses_pkey" PRIMARY KEY ("id"),
    -- At most one is primary.
    CONSTRAINT "patient_addresses_one_primary" EXCLUDE ("patient_id" WITH =) WHERE ("primary")
);
CREATE INDEX "patient_addresses_tenant_id_patient_id_idx" ON "patient_addresses"("tenant_id", "patient_id");

CREATE TABLE "patient_sign_ins" (
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "phone_number" TEXT,
    "srp_identity" TEXT,
    "salt" TEXT,
    "verifier" BYTEA,
    "kdf" JSONB,
    "temporary_until" TIMESTAMPTZ(3),
    "invitation" BYTEA,
    "invitation_url" TEXT,
    "confirmed_at" TIMESTAMPTZ(3),
    "reset_required_at" TIMESTAMPTZ(3),
    "reset_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patient_sign_ins_pkey" PRIMARY KEY ("tenant_id","patient_id"),
    CONSTRAINT "patient_sign_ins_reset" CHECK (("reset_required_at" IS NULL) = ("reset_by" IS NULL) AND "reset_by" IN ('password', 'staff')),
    CONSTRAINT "patient_sign_ins_whole" CHECK (num_nonnulls("srp_identity", "salt", "verifier", "kdf") IN (0, 4))
);
CREATE UNIQUE INDEX "patient_sign_ins_tenant_id_phone_number_key" ON "patient_sign_ins"("tenant_id", "phone_number");

CREATE TABLE "patient_sessions" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "user_agent" TEXT,
    "network" TEXT,
    "begun_for" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patient_sessions_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "patient_sessions_tenant_id_patient_id_created_at_idx" ON "patient_sessions"("tenant_id", "patient_id", "created_at" DESC);
CREATE UNIQUE INDEX "patient_sessions_tenant_id_id_key" ON "patient_sessions"("tenant_id", "id");
-- A repeated request finds the session that its first try began.
CREATE UNIQUE INDEX "patient_sessions_begun_for" ON "patient_sessions"("tenant_id", "patient_id", "begun_for")
  WHERE "ended_at" IS NULL AND "begun_for" IS NOT NULL;

CREATE TABLE "refresh_tokens" (
    "tenant_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "session_id" UUID NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("tenant_id","hash")
);
CREATE INDEX "refresh_tokens_tenant_id_session_id_idx" ON "refresh_tokens"("tenant_id", "session_id");

CREATE TABLE "known_devices" (
    "tenant_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "patient_id" UUID,
    "staff_user_id" UUID,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "known_devices_pkey" PRIMARY KEY ("tenant_id","hash"),
    CONSTRAINT "known_devices_of_one" CHECK (num_nonnulls("patient_id", "staff_user_id") <= 1)
);
CREATE INDEX "known_devices_tenant_id_patient_id_idx" ON "known_devices"("tenant_id", "patient_id");
CREATE INDEX "known_devices_tenant_id_staff_user_id_idx" ON "known_devices"("tenant_id", "staff_user_id");

CREATE TABLE "asked_email_changes" (
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "email" BYTEA NOT NULL,
    "help_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "asked_email_changes_pkey" PRIMARY KEY ("tenant_id","patient_id")
);
CREATE UNIQUE INDEX "asked_email_changes_tenant_id_token_hash_key" ON "asked_email_changes"("tenant_id", "token_hash");

CREATE TABLE "address_changes" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "kept" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "undone_at" TIMESTAMPTZ(3),
    "restored" BOOLEAN,
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "address_changes_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "address_changes_kind" CHECK ("kind" IN ('email', 'phone')),
    CONSTRAINT "address_changes_undone" CHECK (("undone_at" IS NULL) = ("restored" IS NULL))
);
CREATE INDEX "address_changes_tenant_id_patient_id_created_at_idx" ON "address_changes"("tenant_id", "patient_id", "created_at");
CREATE INDEX "address_changes_tenant_id_expires_at_idx" ON "address_changes"("tenant_id", "expires_at");
CREATE UNIQUE INDEX "address_changes_tenant_id_token_hash_key" ON "address_changes"("tenant_id", "token_hash");

CREATE TABLE "sign_in_helps" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "staff_user_id" TEXT NOT NULL,
    "way" TEXT NOT NULL,
    "identity_check" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_helps_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sign_in_helps_way" CHECK ("way" IN ('email', 'phone'))
);
CREATE INDEX "sign_in_helps_tenant_id_patient_id_created_at_idx" ON "sign_in_helps"("tenant_id", "patient_id", "created_at" DESC);

CREATE TABLE "sent_invitations" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "sent_to" BYTEA,
    "sent_by" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "answered_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sent_invitations_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "sent_invitations_tenant_id_patient_id_created_at_idx" ON "sent_invitations"("tenant_id", "patient_id", "created_at" DESC);

CREATE TABLE "one_time_codes" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "person" TEXT NOT NULL,
    "patient_id" UUID,
    "client_id" UUID NOT NULL,
    "challenge_hash" TEXT,
    "code_hash" TEXT NOT NULL,
    "hashed_as" UUID,
    "target" BYTEA,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "used_for" TEXT,
    "session_id" UUID,
    "send_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "one_time_codes_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "one_time_codes_purpose" CHECK ("purpose" IN ('sign_in', 'confirm', 'reset', 'email', 'phone', 'proof'))
);
CREATE INDEX "one_time_codes_tenant_id_send_id_idx" ON "one_time_codes"("tenant_id", "send_id");
CREATE UNIQUE INDEX "one_time_codes_tenant_id_purpose_person_key" ON "one_time_codes"("tenant_id", "purpose", "person");
CREATE UNIQUE INDEX "one_time_codes_tenant_id_challenge_hash_key" ON "one_time_codes"("tenant_id", "challenge_hash");

CREATE TABLE "sign_up_attempts" (
    "tenant_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "person" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "patient_id" UUID,
    "client_id" UUID NOT NULL,
    "content" BYTEA NOT NULL,
    "made_record" BOOLEAN NOT NULL,
    "user_agent" TEXT,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_up_attempts_pkey" PRIMARY KEY ("tenant_id","key")
);
CREATE INDEX "sign_up_attempts_tenant_id_person_created_at_idx" ON "sign_up_attempts"("tenant_id", "person", "created_at");
CREATE INDEX "sign_up_attempts_tenant_id_patient_id_idx" ON "sign_up_attempts"("tenant_id", "patient_id");
CREATE INDEX "sign_up_attempts_tenant_id_asked_at_idx" ON "sign_up_attempts"("tenant_id", "asked_at");

CREATE TABLE "sign_in_steps" (
    "tenant_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "patient_id" UUID,
    "client_id" UUID NOT NULL,
    "state" BYTEA NOT NULL,
    "failure_key" TEXT,
    "row_key" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_in_steps_pkey" PRIMARY KEY ("tenant_id","token_hash"),
    CONSTRAINT "sign_in_steps_kind" CHECK ("kind" IN ('srp', 'continuation', 'proof', 'reopening'))
);
CREATE INDEX "sign_in_steps_tenant_id_expires_at_idx" ON "sign_in_steps"("tenant_id", "expires_at");
CREATE INDEX "sign_in_steps_tenant_id_patient_id_idx" ON "sign_in_steps"("tenant_id", "patient_id");

CREATE TABLE "code_sends" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "person" TEXT NOT NULL,
    "purpose" TEXT NOT NULL DEFAULT '',
    "prefix" TEXT,
    "source" TEXT NOT NULL,
    "known" BOOLEAN NOT NULL DEFAULT false,
    "texted" BOOLEAN NOT NULL DEFAULT false,
    "proof" TEXT,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,
    "answered_at" TIMESTAMPTZ(3),
    "outcome" TEXT,

    CONSTRAINT "code_sends_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "code_sends_tenant_id_person_sent_at_idx" ON "code_sends"("tenant_id", "person", "sent_at");
CREATE INDEX "code_sends_tenant_id_sent_at_idx" ON "code_sends"("tenant_id", "sent_at");
CREATE UNIQUE INDEX "code_sends_tenant_id_proof_key" ON "code_sends"("tenant_id", "proof");

CREATE TABLE "sign_in_failures" (
    "tenant_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "blocked_until" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3) NOT NULL,
    "in_row" BOOLEAN NOT NULL DEFAULT false,
    "closed_at" TIMESTAMPTZ(3),
    "told_at" TIMESTAMPTZ(3),
    "approved_until" TIMESTAMPTZ(3),

    CONSTRAINT "sign_in_failures_pkey" PRIMARY KEY ("tenant_id","key")
);

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

CREATE TABLE "provider_snapshots" (
    "tenant_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_snapshots_pkey" PRIMARY KEY ("tenant_id","provider","kind")
);

CREATE TABLE "processor_customers" (
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "told_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cards_holder" UUID,
    "cards_held_until" TIMESTAMPTZ(3),

    CONSTRAINT "processor_customers_pkey" PRIMARY KEY ("tenant_id","patient_id","account_id")
);
CREATE INDEX "processor_customers_tenant_id_account_id_customer_id_idx" ON "processor_customers"("tenant_id", "account_id", "customer_id");

CREATE TABLE "subscription_intents" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "request_key" TEXT NOT NULL,
    "asked" TEXT,
    "params" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "subscription_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscription_intents_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "subscription_intents_tenant_id_patient_id_idx" ON "subscription_intents"("tenant_id", "patient_id");
CREATE INDEX "subscription_intents_tenant_id_asked_idx" ON "subscription_intents"("tenant_id", "asked");
CREATE UNIQUE INDEX "subscription_intents_tenant_id_request_key_key" ON "subscription_intents"("tenant_id", "request_key");

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
    "payment_method" JSONB,
    "pause_collection" JSONB,
    "trial_products" TEXT[] NOT NULL DEFAULT '{}',
    "payment_method_known" BOOLEAN NOT NULL DEFAULT false,
    -- From when on staff should look after it; null for never. Computed from columns and no clock, so that an index can
    -- find it. `src/contract/needs-attention.ts` states the same rule in words.
    "attention_from" TIMESTAMP(3) GENERATED ALWAYS AS (
        CASE
            WHEN "status" IN ('past_due', 'unpaid', 'incomplete') THEN TIMESTAMP '2000-01-01 00:00:00'
            WHEN "status" = 'paused' AND "payment_method_known" AND "payment_method" IS NULL
                THEN TIMESTAMP '2000-01-01 00:00:00'
            WHEN "status" IN ('trialing', 'active', 'paused')
                AND ("cancel_at" IS NULL OR "current_period_end" IS NULL OR "cancel_at" > "current_period_end")
                THEN least(
                    CASE WHEN jsonb_typeof("payment_method"->'exp_year') = 'number' THEN
                        make_timestamp(("payment_method"->>'exp_year')::integer,
                            ("payment_method"->>'exp_month')::integer, 1, 0, 0, 0)
                            + INTERVAL '1 month' - INTERVAL '30 days' END,
                    CASE WHEN "status" = 'trialing' AND "payment_method_known" AND "payment_method" IS NULL
                        THEN ("trial_end" AT TIME ZONE 'UTC') - INTERVAL '7 days' END)
        END
    ) STORED,
    "ticket" BIGINT NOT NULL DEFAULT 0,
    "synced_ticket" BIGINT NOT NULL DEFAULT 0,
    "checked_at" TIMESTAMPTZ(3),
    "asked" JSONB NOT NULL DEFAULT '[]',
    "payments_ticket" BIGINT NOT NULL DEFAULT 0,
    "payments_synced_ticket" BIGINT NOT NULL DEFAULT 0,
    "payments_checked_at" TIMESTAMPTZ(3),
    "payments_told_from" TIMESTAMPTZ(3),
    "invoiced_at" TIMESTAMPTZ(3),
    "grace_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("tenant_id","id")
);
CREATE INDEX "subscriptions_tenant_id_patient_id_created_at_idx" ON "subscriptions"("tenant_id", "patient_id", "created_at" DESC);
CREATE INDEX "subscriptions_tenant_id_created_at_id_idx" ON "subscriptions"("tenant_id", "created_at" DESC, "id" DESC);
CREATE INDEX "subscriptions_tenant_id_status_created_at_id_idx" ON "subscriptions"("tenant_id", "status", "created_at" DESC, "id" DESC);
CREATE INDEX "subscriptions_tenant_id_attention_from_idx" ON "subscriptions"("tenant_id", "attention_from");
CREATE INDEX "subscriptions_without_payments_idx" ON "subscriptions"("tenant_id", "created_at")
  WHERE "payments_checked_at" IS NULL;

CREATE TABLE "subscription_prices" (
    "tenant_id" UUID NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "price_id" TEXT NOT NULL,

    CONSTRAINT "subscription_prices_pkey" PRIMARY KEY ("tenant_id","subscription_id","price_id")
);
CREATE INDEX "subscription_prices_tenant_id_price_id_subscription_id_idx" ON "subscription_prices"("tenant_id", "price_id", "subscription_id");

CREATE TABLE "payments" (
    "id" TEXT NOT NULL,
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "patient_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "number" TEXT,
    "currency" TEXT NOT NULL,
    "billing_reason" TEXT,
    "subtotal" BIGINT NOT NULL,
    "discount" BIGINT NOT NULL,
    "tax" BIGINT NOT NULL,
    "total" BIGINT NOT NULL,
    "amount_due" BIGINT NOT NULL,
    "amount_paid" BIGINT NOT NULL,
    "amount_remaining" BIGINT NOT NULL,
    "amount_refunded" BIGINT NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "period_end" TIMESTAMPTZ(3) NOT NULL,
    "paid_at" TIMESTAMPTZ(3),
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "failure" JSONB,
    "invoice_url" TEXT,
    "pdf_url" TEXT,
    "receipt_url" TEXT,
    "payment_intent_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "refunds" JSONB NOT NULL DEFAULT '[]',
    "disputes" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("tenant_id","id"),
    CONSTRAINT "payments_status" CHECK ("status" IN ('open', 'paid', 'void', 'uncollectible'))
);
CREATE INDEX "payments_tenant_id_created_at_id_idx" ON "payments"("tenant_id", "created_at" DESC, "id" DESC);
CREATE INDEX "payments_tenant_id_patient_id_created_at_id_idx" ON "payments"("tenant_id", "patient_id", "created_at" DESC, "id" DESC);
CREATE INDEX "payments_tenant_id_subscription_id_created_at_id_idx" ON "payments"("tenant_id", "subscription_id", "created_at" DESC, "id" DESC);
CREATE INDEX "payments_tenant_id_status_created_at_id_idx" ON "payments"("tenant_id", "status", "created_at" DESC, "id" DESC);
CREATE INDEX "payments_payment_intent_ids_idx" ON "payments" USING GIN ("payment_intent_ids");

CREATE TABLE "checkout_links" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "patient_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "token" BYTEA,
    "made_by" TEXT,
    "sent_to" BYTEA,
    "sent_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "allow_promotion_codes" BOOLEAN NOT NULL DEFAULT false,
    "promotion_code" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checkout_links_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "checkout_links_tenant_id_subscription_id_idx" ON "checkout_links"("tenant_id", "subscription_id");
CREATE INDEX "checkout_links_tenant_id_patient_id_created_at_idx" ON "checkout_links"("tenant_id", "patient_id", "created_at" DESC);
CREATE UNIQUE INDEX "checkout_links_tenant_id_token_hash_key" ON "checkout_links"("tenant_id", "token_hash");

CREATE TABLE "manage_links" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "patient_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "token" BYTEA,
    "made_by" TEXT,
    "sent_to" BYTEA,
    "sent_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "manage_links_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "manage_links_tenant_id_subscription_id_idx" ON "manage_links"("tenant_id", "subscription_id");
CREATE INDEX "manage_links_tenant_id_patient_id_created_at_idx" ON "manage_links"("tenant_id", "patient_id", "created_at" DESC);
CREATE UNIQUE INDEX "manage_links_tenant_id_token_hash_key" ON "manage_links"("tenant_id", "token_hash");

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
    "asked" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 0,
    "canceled_at" TIMESTAMPTZ(3),
    "cancel_reason" BYTEA,
    "staff_note" BYTEA,
    "account_id" TEXT,
    "video_test" JSONB,
    "canceled_because" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "appointments_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "appointments_status" CHECK ("status" IN ('pending', 'scheduled', 'canceled', 'no_show', 'failed'))
);
CREATE INDEX "appointments_tenant_id_patient_id_start_at_idx" ON "appointments"("tenant_id", "patient_id", "start_at" DESC);
CREATE INDEX "appointments_tenant_id_start_at_id_idx" ON "appointments"("tenant_id", "start_at", "id");
CREATE INDEX "appointments_tenant_id_status_start_at_id_idx" ON "appointments"("tenant_id", "status", "start_at", "id");
CREATE INDEX "appointments_tenant_id_calendar_id_start_at_id_idx" ON "appointments"("tenant_id", "calendar_id", "start_at", "id");
CREATE INDEX "appointments_tenant_id_practitioner_id_start_at_id_idx" ON "appointments"("tenant_id", "practitioner_id", "start_at", "id");
CREATE INDEX "appointments_tenant_id_appointment_type_id_start_at_id_idx" ON "appointments"("tenant_id", "appointment_type_id", "start_at", "id");
CREATE INDEX "appointments_tenant_id_status_updated_at_idx" ON "appointments"("tenant_id", "status", "updated_at");
CREATE INDEX "appointments_tenant_id_asked_idx" ON "appointments"("tenant_id", "asked");
CREATE UNIQUE INDEX "appointments_tenant_id_id_key" ON "appointments"("tenant_id", "id");
CREATE UNIQUE INDEX "appointments_tenant_id_video_token_key" ON "appointments"("tenant_id", "video_token");
CREATE UNIQUE INDEX "appointments_tenant_id_provider_appointment_id_key" ON "appointments"("tenant_id", "provider_appointment_id");
CREATE UNIQUE INDEX "appointments_tenant_id_request_key_key" ON "appointments"("tenant_id", "request_key");

CREATE TABLE "visit_calls" (
    "tenant_id" UUID NOT NULL,
    "appointment_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "ended_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "visit_calls_pkey" PRIMARY KEY ("tenant_id","appointment_id"),
    CONSTRAINT "visit_calls_ended_by" CHECK ("ended_by" IN ('patient', 'staff', 'time'))
);
CREATE INDEX "visit_calls_tenant_id_patient_id_idx" ON "visit_calls"("tenant_id", "patient_id");

CREATE TABLE "visit_seats" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "appointment_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "side" TEXT NOT NULL,
    "staff_id" UUID,
    "key_hash" BYTEA,
    "hold_hash" BYTEA,
    "sat_at" TIMESTAMPTZ(3) NOT NULL,
    "heard_at" TIMESTAMPTZ(3) NOT NULL,
    "admitted_at" TIMESTAMPTZ(3),
    "left_at" TIMESTAMPTZ(3),
    "why_left" TEXT,
    "last_signal" INTEGER NOT NULL DEFAULT 0,
    "devices" TEXT,
    "path" TEXT,
    "media" TEXT,
    "quality" TEXT,
    "worst_quality" TEXT,

    CONSTRAINT "visit_seats_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "visit_seats_left" CHECK (("left_at" IS NULL) = ("why_left" IS NULL)),
    CONSTRAINT "visit_seats_side" CHECK ("side" IN ('patient', 'staff')),
    CONSTRAINT "visit_seats_staff" CHECK (("side" = 'staff') = ("staff_id" IS NOT NULL)),
    CONSTRAINT "visit_seats_why_left" CHECK ("why_left" IN ('left', 'taken', 'exchanged', 'ended'))
);
CREATE INDEX "visit_seats_tenant_id_appointment_id_sat_at_idx" ON "visit_seats"("tenant_id", "appointment_id", "sat_at");
CREATE INDEX "visit_seats_tenant_id_patient_id_idx" ON "visit_seats"("tenant_id", "patient_id");
CREATE UNIQUE INDEX "visit_seats_tenant_id_id_key" ON "visit_seats"("tenant_id", "id");
CREATE UNIQUE INDEX "visit_seats_tenant_id_key_hash_key" ON "visit_seats"("tenant_id", "key_hash");
-- One patient and one practitioner in a call.
CREATE UNIQUE INDEX "visit_seats_one_a_side" ON "visit_seats"("tenant_id", "appointment_id", "side")
  WHERE "left_at" IS NULL;
-- Who waits now.
CREATE INDEX "visit_seats_waiting" ON "visit_seats"("tenant_id", "side", "heard_at") WHERE "left_at" IS NULL;

CREATE TABLE "visit_signals" (
    "tenant_id" UUID NOT NULL,
    "to_seat_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "id" UUID NOT NULL,
    "from_seat_id" UUID NOT NULL,
    "body" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "visit_signals_pkey" PRIMARY KEY ("tenant_id","to_seat_id","seq")
);
CREATE INDEX "visit_signals_tenant_id_created_at_idx" ON "visit_signals"("tenant_id", "created_at");
CREATE UNIQUE INDEX "visit_signals_tenant_id_from_seat_id_id_key" ON "visit_signals"("tenant_id", "from_seat_id", "id");

CREATE TABLE "visit_messages" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "appointment_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "minutes_before" INTEGER NOT NULL DEFAULT 0,
    "start_at" TIMESTAMPTZ(3) NOT NULL,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "turn" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL,
    "why" TEXT,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "claimed_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "sent_to" BYTEA,
    "delivery" TEXT,
    "delivery_why" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "visit_messages_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "visit_messages_channel" CHECK ("channel" IN ('email', 'sms')),
    CONSTRAINT "visit_messages_delivery" CHECK ("delivery" IN ('delivered', 'not_delivered')),
    CONSTRAINT "visit_messages_kind" CHECK ("kind" IN ('confirmation', 'move', 'cancellation', 'reminder')),
    CONSTRAINT "visit_messages_state" CHECK ("state" IN ('planned', 'sending', 'sent', 'failed', 'skipped'))
);
CREATE INDEX "visit_messages_tenant_id_state_due_at_idx" ON "visit_messages"("tenant_id", "state", "due_at");
CREATE INDEX "visit_messages_tenant_id_patient_id_due_at_idx" ON "visit_messages"("tenant_id", "patient_id", "due_at");
CREATE UNIQUE INDEX "visit_messages_once" ON "visit_messages"("tenant_id", "appointment_id", "kind", "channel", "start_at", "minutes_before", "sequence", "turn");

CREATE TABLE "message_settings" (
    "tenant_id" UUID NOT NULL,
    "settings" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_settings_pkey" PRIMARY KEY ("tenant_id")
);

CREATE TABLE "slot_claims" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "appointment_id" UUID,
    "unmatched_id" UUID,
    "patient_id" UUID,
    "calendar_id" INTEGER NOT NULL,
    "start_at" TIMESTAMPTZ(3) NOT NULL,
    "end_at" TIMESTAMPTZ(3) NOT NULL,
    "overlap_ok" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slot_claims_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "slot_claims_in_order" CHECK ("start_at" < "end_at"),
    -- No two appointments hold overlapping times of one calendar; one may hold two of its own while it is rescheduled.
    -- A claim belongs to an appointment or to a booking of somebody who is no patient here.
    CONSTRAINT "slot_claims_no_overlap" EXCLUDE USING gist (
        "tenant_id" WITH =, "calendar_id" WITH =, tstzrange("start_at", "end_at") WITH &&,
        (coalesce("appointment_id", "unmatched_id", "id")) WITH <>),
    -- No two appointments of one patient overlap, unless that was confirmed.
    CONSTRAINT "slot_claims_one_visit_at_a_time" EXCLUDE USING gist (
        "tenant_id" WITH =, "patient_id" WITH =, tstzrange("start_at", "end_at") WITH &&, "appointment_id" WITH <>)
        WHERE (NOT "overlap_ok")
);
CREATE INDEX "slot_claims_tenant_id_appointment_id_idx" ON "slot_claims"("tenant_id", "appointment_id");
CREATE INDEX "slot_claims_tenant_id_unmatched_id_idx" ON "slot_claims"("tenant_id", "unmatched_id");
CREATE INDEX "slot_claims_tenant_id_patient_id_idx" ON "slot_claims"("tenant_id", "patient_id");

CREATE TABLE "unmatched_appointments" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_appointment_id" INTEGER NOT NULL,
    "appointment_type_id" INTEGER NOT NULL,
    "appointment_type" TEXT NOT NULL,
    "calendar_id" INTEGER NOT NULL,
    "calendar" TEXT NOT NULL,
    "practitioner_id" UUID,
    "start_at" TIMESTAMPTZ(3) NOT NULL,
    "end_at" TIMESTAMPTZ(3) NOT NULL,
    "time_zone" TEXT NOT NULL,
    "location" TEXT,
    "status" TEXT NOT NULL,
    "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "email" TEXT,
    "phone_number" TEXT,
    "ignored_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unmatched_appointments_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "unmatched_appointments_status" CHECK ("status" IN ('scheduled', 'canceled', 'no_show'))
);
CREATE INDEX "unmatched_appointments_tenant_id_start_at_id_idx" ON "unmatched_appointments"("tenant_id", "start_at", "id");
CREATE INDEX "unmatched_appointments_tenant_id_end_at_idx" ON "unmatched_appointments"("tenant_id", "end_at");
CREATE UNIQUE INDEX "unmatched_appointments_tenant_id_id_key" ON "unmatched_appointments"("tenant_id", "id");
CREATE UNIQUE INDEX "unmatched_appointments_tenant_id_provider_appointment_id_key" ON "unmatched_appointments"("tenant_id", "provider_appointment_id");

CREATE TABLE "availability_days" (
    "tenant_id" UUID NOT NULL,
    "appointment_type_id" INTEGER NOT NULL,
    "calendar_id" INTEGER NOT NULL,
    "day" TEXT NOT NULL,
    "starts_at" BIGINT[],
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,
    "stale_at" TIMESTAMPTZ(3) NOT NULL,
    "asked_at" TIMESTAMPTZ(3),
    "gone" BIGINT[] NOT NULL DEFAULT '{}',

    CONSTRAINT "availability_days_pkey" PRIMARY KEY ("tenant_id","appointment_type_id","calendar_id","day")
);
CREATE INDEX "availability_days_tenant_id_asked_at_idx" ON "availability_days"("tenant_id", "asked_at");

CREATE TABLE "idempotency_keys" (
    "tenant_id" UUID NOT NULL,
    "credential" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "holder" UUID,
    "request_hash" TEXT NOT NULL,
    "outcome" BYTEA,
    "status" INTEGER,
    "headers" JSONB,
    "body" BYTEA,
    "locked_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("tenant_id","credential","key")
);
CREATE INDEX "idempotency_keys_tenant_id_created_at_idx" ON "idempotency_keys"("tenant_id", "created_at");

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

    CONSTRAINT "events_pkey" PRIMARY KEY ("id","created_at")
) PARTITION BY RANGE ("created_at");
CREATE INDEX "events_tenant_id_position_idx" ON "events"("tenant_id", "position");
-- Rows of a month that has no partition yet; `make_log_partitions` moves them.
CREATE TABLE "events_default" PARTITION OF "events" DEFAULT;

CREATE TABLE "event_feeds" (
    "tenant_id" UUID NOT NULL,
    "last_sequence" BIGINT NOT NULL DEFAULT 0,
    "oldest_sequence" BIGINT NOT NULL DEFAULT 1,

    CONSTRAINT "event_feeds_pkey" PRIMARY KEY ("tenant_id")
);

CREATE TABLE "event_numbers" (
    "tenant_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "event_created_at" TIMESTAMPTZ(3) NOT NULL,
    "event_type" TEXT NOT NULL,
    "event_topic" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,

    CONSTRAINT "event_numbers_pkey" PRIMARY KEY ("tenant_id","sequence")
);
CREATE INDEX "event_numbers_tenant_id_event_type_event_topic_sequence_idx" ON "event_numbers"("tenant_id", "event_type", "event_topic", "sequence");
CREATE INDEX "event_numbers_tenant_id_object_id_sequence_idx" ON "event_numbers"("tenant_id", "object_id", "sequence");
CREATE INDEX "event_numbers_tenant_id_patient_id_sequence_idx" ON "event_numbers"("tenant_id", "patient_id", "sequence");
CREATE UNIQUE INDEX "event_numbers_tenant_id_event_id_key" ON "event_numbers"("tenant_id", "event_id");

CREATE TABLE "unnumbered_events" (
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "event_created_at" TIMESTAMPTZ(3) NOT NULL,
    "event_type" TEXT NOT NULL,
    "event_topic" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,

    CONSTRAINT "unnumbered_events_pkey" PRIMARY KEY ("tenant_id","position")
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "action" TEXT NOT NULL,
    "object_type" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "patient_id" UUID,
    "patient_ids" UUID[],
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "on_behalf_of" TEXT,
    "application_id" TEXT,
    "request_id" TEXT NOT NULL,
    "address" TEXT,
    "user_agent" TEXT,
    "outcome" TEXT,
    "event" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id","created_at")
) PARTITION BY RANGE ("created_at");
CREATE INDEX "audit_entries_tenant_id_position_idx" ON "audit_entries"("tenant_id", "position");
CREATE INDEX "audit_entries_tenant_id_object_type_object_id_idx" ON "audit_entries"("tenant_id", "object_type", "object_id");
CREATE INDEX "audit_entries_tenant_id_patient_id_created_at_idx" ON "audit_entries"("tenant_id", "patient_id", "created_at");
CREATE INDEX "audit_entries_tenant_id_actor_id_created_at_idx" ON "audit_entries"("tenant_id", "actor_id", "created_at");
CREATE INDEX "audit_entries_tenant_id_action_created_at_idx" ON "audit_entries"("tenant_id", "action", "created_at");
-- What happened to one patient, newest first, without reads, which are far more frequent. The list of actions stands in
-- the query too (src/server/chart/read-changes.ts); actions that are added there later are skipped row by row.
CREATE INDEX "audit_entries_changes_idx" ON "audit_entries"("tenant_id", "patient_id", "created_at", "position")
  WHERE outcome IS NULL AND action <> ALL (ARRAY['patients.get', 'patients.me', 'patients.list', 'patients.care',
    'appointments.get', 'appointments.list', 'subscriptions.get', 'subscriptions.list', 'subscriptions.listCheckoutLinks',
    'sign_ins.get', 'users.get', 'sessions.refresh', 'patients.impersonate', 'events.get', 'events.list', 'events.latest',
    'story.list']);
-- Rows of a month that has no partition yet; `make_log_partitions` moves them.
CREATE TABLE "audit_entries_default" PARTITION OF "audit_entries" DEFAULT;

CREATE TABLE "audit_seals" (
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "entry_id" UUID NOT NULL,
    "entry_created_at" TIMESTAMPTZ(3) NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_seals_pkey" PRIMARY KEY ("tenant_id","position")
);
CREATE UNIQUE INDEX "audit_seals_tenant_id_entry_id_key" ON "audit_seals"("tenant_id", "entry_id");

CREATE TABLE "audit_chains" (
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,
    "hash" BYTEA NOT NULL DEFAULT '\x',
    "checkpoint_position" BIGINT NOT NULL DEFAULT 0,
    "checkpoint_hash" BYTEA NOT NULL DEFAULT '\x',
    "dropped_to" BIGINT NOT NULL DEFAULT 0,
    "dropped_before" TIMESTAMPTZ(3),
    "sealed_at" TIMESTAMPTZ(3),

    CONSTRAINT "audit_chains_pkey" PRIMARY KEY ("tenant_id")
);

CREATE TABLE "audit_checks" (
    "tenant_id" UUID NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "told_at" TIMESTAMPTZ(3) NOT NULL,
    "is_running" BOOLEAN NOT NULL DEFAULT true,
    "checked" BIGINT NOT NULL DEFAULT 0,
    "total" BIGINT NOT NULL DEFAULT 0,
    "ended_at" TIMESTAMPTZ(3),
    "through" BIGINT,
    "fault" JSONB,

    CONSTRAINT "audit_checks_pkey" PRIMARY KEY ("tenant_id")
);

CREATE TABLE "audit_unsealed" (
    "tenant_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "entry_id" UUID NOT NULL,
    "entry_created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_unsealed_pkey" PRIMARY KEY ("tenant_id","position","entry_id")
);

CREATE TABLE "inbound_events" (
    "tenant_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "account_id" TEXT,
    "occurred_at" TIMESTAMPTZ(3),
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "found_by" TEXT,
    "delivered_at" TIMESTAMPTZ(3),
    "processed_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,

    CONSTRAINT "inbound_events_pkey" PRIMARY KEY ("tenant_id","provider","id")
);
CREATE INDEX "inbound_events_tenant_id_processed_at_received_at_idx" ON "inbound_events"("tenant_id", "processed_at", "received_at");
CREATE INDEX "inbound_events_tenant_id_provider_received_at_idx" ON "inbound_events"("tenant_id", "provider", "received_at" DESC);
-- What waits to be applied to one object.
CREATE INDEX "inbound_events_waiting_idx" ON "inbound_events"("tenant_id", "provider", "object_id")
  WHERE "processed_at" IS NULL;

CREATE TABLE "stripe_reconciles" (
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "runner" UUID,
    "leased_until" TIMESTAMPTZ(3),
    "last_event_id" TEXT,
    "previous_event_id" TEXT,
    "pass_started_at" TIMESTAMPTZ(3),
    "pass_after" TEXT,
    "pass_pages" INTEGER NOT NULL DEFAULT 0,
    "pass_ended_at" TIMESTAMPTZ(3),
    "compared" INTEGER NOT NULL DEFAULT 0,
    "differing" INTEGER NOT NULL DEFAULT 0,
    "last_run_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "repaired" BIGINT NOT NULL DEFAULT 0,
    "silent_since" TIMESTAMPTZ(3),

    CONSTRAINT "stripe_reconciles_pkey" PRIMARY KEY ("tenant_id","account_id")
);

CREATE TABLE "stripe_repairs" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "found_by" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stripe_repairs_pkey" PRIMARY KEY ("tenant_id","id")
);
CREATE INDEX "stripe_repairs_tenant_id_created_at_idx" ON "stripe_repairs"("tenant_id", "created_at" DESC);

CREATE TABLE "scheduling_reconciles" (
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "runner" UUID,
    "leased_until" TIMESTAMPTZ(3),
    "pass_started_at" TIMESTAMPTZ(3),
    "pass_left" JSONB NOT NULL DEFAULT '[]',
    "pass_ended_at" TIMESTAMPTZ(3),
    "windows" JSONB NOT NULL DEFAULT '[]',
    "compared" INTEGER NOT NULL DEFAULT 0,
    "differing" INTEGER NOT NULL DEFAULT 0,
    "last_run_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "repaired" BIGINT NOT NULL DEFAULT 0,
    "silent_since" TIMESTAMPTZ(3),

    CONSTRAINT "scheduling_reconciles_pkey" PRIMARY KEY ("tenant_id","account_id")
);

CREATE TABLE "scheduling_repairs" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scheduling_repairs_pkey" PRIMARY KEY ("tenant_id","id")
);
CREATE INDEX "scheduling_repairs_tenant_id_created_at_idx" ON "scheduling_repairs"("tenant_id", "created_at" DESC);

CREATE TABLE "unknown_subscriptions" (
    "tenant_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "name" TEXT,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "left_alone_at" TIMESTAMPTZ(3),

    CONSTRAINT "unknown_subscriptions_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE UNLOGGED TABLE "rate_limit_counts" (
    "key" TEXT NOT NULL,
    "window_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "rate_limit_counts_pkey" PRIMARY KEY ("key","window_at")
);

CREATE UNLOGGED TABLE "call_turns" (
    "kind" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "call_turns_pkey" PRIMARY KEY ("kind")
);

CREATE UNLOGGED TABLE "calling_processes" (
    "id" UUID NOT NULL,
    "seen_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "calling_processes_pkey" PRIMARY KEY ("id")
);

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
    "application_id" UUID,
    "needs_review" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_endpoints_payload" CHECK ("payload" IN ('thin', 'snapshot'))
);
CREATE UNIQUE INDEX "webhook_endpoints_tenant_id_id_key" ON "webhook_endpoints"("tenant_id", "id");

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
    "sent" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_deliveries_kind" CHECK ("kind" IN ('live', 'replay', 'test')),
    CONSTRAINT "webhook_deliveries_state" CHECK ("state" IN ('waiting', 'sending', 'held', 'delivered', 'parked', 'recovered'))
);
CREATE INDEX "webhook_deliveries_tenant_id_endpoint_id_id_idx" ON "webhook_deliveries"("tenant_id", "endpoint_id", "id" DESC);
CREATE INDEX "webhook_deliveries_tenant_id_ended_at_idx" ON "webhook_deliveries"("tenant_id", "ended_at");
CREATE INDEX "webhook_deliveries_tenant_id_event_id_idx" ON "webhook_deliveries"("tenant_id", "event_id");
-- What is due.
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries"("tenant_id", "endpoint_id", "next_try_at", "sequence")
  WHERE "state" = 'waiting';
-- What was being sent by a process that is gone.
CREATE INDEX "webhook_deliveries_leased" ON "webhook_deliveries"("tenant_id", "leased_until") WHERE "state" = 'sending';
-- The queue of one object at one endpoint: no event stands in it twice, and its last is found at once.
CREATE UNIQUE INDEX "webhook_deliveries_lane"
  ON "webhook_deliveries"("tenant_id", "endpoint_id", "kind", "object_id", "sequence")
  WHERE "state" IN ('waiting', 'sending', 'held');
-- What has not arrived, in order: a receiver's cursor stays before it.
CREATE INDEX "webhook_deliveries_missing" ON "webhook_deliveries"("tenant_id", "endpoint_id", "sequence")
  WHERE "kind" = 'live' AND "state" IN ('waiting', 'sending', 'held', 'parked');
CREATE INDEX "webhook_deliveries_parked" ON "webhook_deliveries"("tenant_id", "endpoint_id", "object_id", "sequence")
  WHERE "state" = 'parked';
-- What failed and has not arrived: as long as there is any, its endpoint is failing.
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries"("tenant_id", "endpoint_id", "last_tried_at")
  WHERE "kind" <> 'test' AND "state" IN ('waiting', 'sending', 'parked') AND "last_error" IS NOT NULL AND "attempts" > 0;

CREATE TABLE "webhook_hours" (
    "tenant_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_hours_pkey" PRIMARY KEY ("tenant_id","endpoint_id","hour")
);

CREATE TABLE "address_signals" (
    "id" UUID NOT NULL,
    "channel" TEXT NOT NULL,
    "address_hash" BYTEA NOT NULL,
    "sender" TEXT NOT NULL DEFAULT '',
    "state" TEXT NOT NULL,
    "because" TEXT NOT NULL,
    "words" BYTEA,
    "provider_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "address_signals_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "address_signals_channel" CHECK ("channel" IN ('email', 'sms')),
    CONSTRAINT "address_signals_state" CHECK ("state" IN ('stopped', 'allowed'))
);
CREATE UNIQUE INDEX "address_signals_provider_id_key" ON "address_signals"("provider_id");
CREATE INDEX "address_signals_channel_address_hash_at_idx" ON "address_signals"("channel", "address_hash", "at" DESC);

CREATE TABLE "message_choices" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "patient_id" UUID NOT NULL,
    "channel" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "because" TEXT NOT NULL,
    "address" BYTEA,
    "words" BYTEA,
    "sender" TEXT,
    "made_by" TEXT,
    "signal_id" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_choices_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "message_choices_channel" CHECK ("channel" IN ('email', 'sms')),
    CONSTRAINT "message_choices_state" CHECK ("state" IN ('stopped', 'allowed'))
);
CREATE INDEX "message_choices_tenant_id_patient_id_at_idx" ON "message_choices"("tenant_id", "patient_id", "at" DESC);
CREATE UNIQUE INDEX "message_choices_tenant_id_patient_id_signal_id_key" ON "message_choices"("tenant_id", "patient_id", "signal_id");

ALTER TABLE "daily_lists" ADD CONSTRAINT "daily_lists_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "staff_sessions" ADD CONSTRAINT "staff_sessions_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "staff_two_steps" ADD CONSTRAINT "staff_two_steps_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "staff_recovery_codes" ADD CONSTRAINT "staff_recovery_codes_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "staff_links" ADD CONSTRAINT "staff_links_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "application_secrets" ADD CONSTRAINT "application_secrets_tenant_id_application_id_fkey" FOREIGN KEY ("tenant_id", "application_id") REFERENCES "applications"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "patient_phones" ADD CONSTRAINT "patient_phones_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "patient_addresses" ADD CONSTRAINT "patient_addresses_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "patient_sign_ins" ADD CONSTRAINT "patient_sign_ins_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "patient_sessions" ADD CONSTRAINT "patient_sessions_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_tenant_id_session_id_fkey" FOREIGN KEY ("tenant_id", "session_id") REFERENCES "patient_sessions"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_tenant_id_staff_user_id_fkey" FOREIGN KEY ("tenant_id", "staff_user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "asked_email_changes" ADD CONSTRAINT "asked_email_changes_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "address_changes" ADD CONSTRAINT "address_changes_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "sign_in_helps" ADD CONSTRAINT "sign_in_helps_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "sent_invitations" ADD CONSTRAINT "sent_invitations_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "sign_up_attempts" ADD CONSTRAINT "sign_up_attempts_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subscription_prices" ADD CONSTRAINT "subscription_prices_tenant_id_subscription_id_fkey" FOREIGN KEY ("tenant_id", "subscription_id") REFERENCES "subscriptions"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "payments" ADD CONSTRAINT "payments_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "manage_links" ADD CONSTRAINT "manage_links_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "visit_calls" ADD CONSTRAINT "visit_calls_tenant_id_appointment_id_fkey" FOREIGN KEY ("tenant_id", "appointment_id") REFERENCES "appointments"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "visit_calls" ADD CONSTRAINT "visit_calls_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "visit_seats" ADD CONSTRAINT "visit_seats_tenant_id_appointment_id_fkey" FOREIGN KEY ("tenant_id", "appointment_id") REFERENCES "visit_calls"("tenant_id", "appointment_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "visit_signals" ADD CONSTRAINT "visit_signals_tenant_id_to_seat_id_fkey" FOREIGN KEY ("tenant_id", "to_seat_id") REFERENCES "visit_seats"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "visit_messages" ADD CONSTRAINT "visit_messages_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "visit_messages" ADD CONSTRAINT "visit_messages_tenant_id_appointment_id_fkey" FOREIGN KEY ("tenant_id", "appointment_id") REFERENCES "appointments"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "slot_claims" ADD CONSTRAINT "slot_claims_tenant_id_appointment_id_fkey" FOREIGN KEY ("tenant_id", "appointment_id") REFERENCES "appointments"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "slot_claims" ADD CONSTRAINT "slot_claims_tenant_id_unmatched_id_fkey" FOREIGN KEY ("tenant_id", "unmatched_id") REFERENCES "unmatched_appointments"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoints"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhook_hours" ADD CONSTRAINT "webhook_hours_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoints"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "message_choices" ADD CONSTRAINT "message_choices_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
