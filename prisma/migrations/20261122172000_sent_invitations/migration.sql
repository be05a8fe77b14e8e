-- CreateTable
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

-- CreateIndex
CREATE INDEX "sent_invitations_tenant_id_patient_id_created_at_idx" ON "sent_invitations"("tenant_id", "patient_id", "created_at" DESC);

-- AddForeignKey
ALTER TABLE "sent_invitations" ADD CONSTRAINT "sent_invitations_tenant_id_patient_id_fkey" FOREIGN KEY ("tenant_id", "patient_id") REFERENCES "patients"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "audit_entries" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "patients" NO FORCE ROW LEVEL SECURITY;
-- Of those that were sent before, the log knows when and by whom.
INSERT INTO sent_invitations (id, tenant_id, patient_id, sent_by, created_at)
SELECT a.id, a.tenant_id, p.id, a.actor_id, a.created_at
FROM audit_entries a JOIN patients p ON p.tenant_id = a.tenant_id AND p.id::text = a.object_id
WHERE a.object_type = 'Patient' AND a.action IN ('patients.invite', 'invitations.resend') AND a.outcome IS NULL;

ALTER TABLE "audit_entries" FORCE ROW LEVEL SECURITY;
ALTER TABLE "patients" FORCE ROW LEVEL SECURITY;

SELECT carelane_protect('sent_invitations'::regclass);
