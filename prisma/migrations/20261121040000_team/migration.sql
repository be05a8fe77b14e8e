-- AlterTable
ALTER TABLE "staff_users" ALTER COLUMN "password_hash" DROP NOT NULL, ADD COLUMN "last_signed_in_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "staff_sessions" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "staff_two_steps" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "secret" BYTEA,
    "pending_secret" BYTEA,
    "last_step" INTEGER NOT NULL DEFAULT 0,
    "turned_on_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_two_steps_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- CreateTable
CREATE TABLE "staff_recovery_codes" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "staff_recovery_codes_pkey" PRIMARY KEY ("tenant_id","user_id","hash")
);

-- CreateTable
CREATE TABLE "staff_links" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_links_pkey" PRIMARY KEY ("tenant_id","user_id","purpose")
);

-- CreateIndex
CREATE UNIQUE INDEX "staff_users_tenant_id_id_key" ON "staff_users"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "staff_sessions_tenant_id_user_id_created_at_idx" ON "staff_sessions"("tenant_id", "user_id", "created_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "staff_links_tenant_id_token_hash_key" ON "staff_links"("tenant_id", "token_hash");

-- AddForeignKey
ALTER TABLE "staff_sessions" ADD CONSTRAINT "staff_sessions_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_two_steps" ADD CONSTRAINT "staff_two_steps_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_recovery_codes" ADD CONSTRAINT "staff_recovery_codes_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_links" ADD CONSTRAINT "staff_links_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT carelane_protect(t::regclass) FROM unnest(ARRAY[
  'staff_sessions', 'staff_two_steps', 'staff_recovery_codes', 'staff_links'
]) AS t;

ALTER TABLE staff_links ADD CONSTRAINT staff_links_purpose CHECK (purpose IN ('invitation', 'reset'));
ALTER TABLE staff_two_steps ADD CONSTRAINT staff_two_steps_whole CHECK ((secret IS NULL) = (turned_on_at IS NULL));
