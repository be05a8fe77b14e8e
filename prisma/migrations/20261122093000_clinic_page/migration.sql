-- What patients see of the clinic on its pages, in its mails and texts.
ALTER TABLE "tenants"
    ADD COLUMN "brand_colour" TEXT,
    ADD COLUMN "support_phone" TEXT,
    ADD COLUMN "support_email" TEXT,
    ADD COLUMN "terms_url" TEXT,
    ADD COLUMN "privacy_url" TEXT;

-- CreateTable
CREATE TABLE "tenant_logos" (
    "tenant_id" UUID NOT NULL,
    "png" BYTEA NOT NULL,
    "digest" TEXT NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_logos_pkey" PRIMARY KEY ("tenant_id")
);

ALTER TABLE "tenant_logos" ADD CONSTRAINT "tenant_logos_size" CHECK (octet_length("png") <= 256000);

SELECT carelane_protect('tenant_logos'::regclass);
