-- Acuity counts calls by address, for all processes and clinics behind it. When the next call of a kind may go out, and
-- which processes call at all; both are of a few seconds, and begin anew after a crash.
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

-- When somebody last asked for the day, coarsely, for what is asked for is renewed; and which times it had at first and
-- has no more, so that one that was taken is told from one that never was.
ALTER TABLE "availability_days"
  ADD COLUMN "asked_at" TIMESTAMPTZ(3),
  ADD COLUMN "gone" BIGINT[] NOT NULL DEFAULT '{}';
CREATE INDEX "availability_days_tenant_id_asked_at_idx" ON "availability_days"("tenant_id", "asked_at");
