-- Links to the page where a patient sees one subscription and changes what the clinic lets them change.
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

    CONSTRAINT "manage_links_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "manage_links_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id")
      REFERENCES "patients"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "manage_links_tenant_id_token_hash_key" ON "manage_links"("tenant_id", "token_hash");
CREATE INDEX "manage_links_tenant_id_subscription_id_idx" ON "manage_links"("tenant_id", "subscription_id");
CREATE INDEX "manage_links_tenant_id_patient_id_created_at_idx"
  ON "manage_links"("tenant_id", "patient_id", "created_at" DESC);
SELECT carelane_protect('manage_links'::regclass);

-- Whether the payment page asks for a promotion code, and the one that is being redeemed: a subscription that waits for its
-- first payment is made anew with it, which has to be finished should the service end half way.
ALTER TABLE "checkout_links"
  ADD COLUMN "allow_promotion_codes" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "promotion_code" TEXT;
