-- Whoever works here may have the visits of each day by mail in its morning; each day's at most once.
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

    CONSTRAINT "daily_lists_pkey" PRIMARY KEY ("tenant_id", "user_id"),
    CONSTRAINT "daily_lists_hour" CHECK ("hour" BETWEEN 0 AND 23),
    CONSTRAINT "daily_lists_state" CHECK ("state" IN ('sending', 'again', 'sent', 'empty', 'failed', 'unknown')),
    CONSTRAINT "daily_lists_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id")
      REFERENCES "staff_users"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "daily_lists_tenant_id_due_at_idx" ON "daily_lists"("tenant_id", "due_at");
SELECT carelane_protect('daily_lists'::regclass);
