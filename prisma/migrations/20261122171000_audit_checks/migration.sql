-- Whether each clinic's audit log holds, as it was last checked, and how far a check is that runs.
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
SELECT carelane_protect('audit_checks'::regclass);

-- When a chain was last lengthened, whoever did so.
ALTER TABLE "audit_chains" ADD COLUMN "sealed_at" TIMESTAMPTZ(3);
CREATE FUNCTION carelane_note_sealing() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  new.sealed_at := clock_timestamp();
  RETURN new;
END $$;
CREATE TRIGGER audit_chains_sealed BEFORE UPDATE OF position ON audit_chains FOR EACH ROW
  WHEN (new.position > old.position) EXECUTE FUNCTION carelane_note_sealing();
