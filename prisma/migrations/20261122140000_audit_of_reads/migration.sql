-- Reads leave audit entries too: from where, by which application, whose data a list showed, and how it went.
-- What has nothing to say stays empty, so that the text of rows that stand is what it was.
ALTER TABLE audit_entries
  ADD COLUMN IF NOT EXISTS "patient_ids" UUID[],
  ADD COLUMN IF NOT EXISTS "application_id" TEXT,
  ADD COLUMN IF NOT EXISTS "address" TEXT,
  ADD COLUMN IF NOT EXISTS "user_agent" TEXT,
  ADD COLUMN IF NOT EXISTS "outcome" TEXT;

-- By whom and about whom it is asked, newest first. Lists stand there as of no one patient.
CREATE INDEX IF NOT EXISTS "audit_entries_tenant_id_patient_id_created_at_idx" ON "audit_entries"("tenant_id", "patient_id", "created_at");
CREATE INDEX IF NOT EXISTS "audit_entries_tenant_id_actor_id_created_at_idx" ON "audit_entries"("tenant_id", "actor_id", "created_at");
CREATE INDEX IF NOT EXISTS "audit_entries_tenant_id_action_created_at_idx" ON "audit_entries"("tenant_id", "action", "created_at");

-- The service's role is known by the rights that tables get by default; its name is a setting.
DO $$
DECLARE role text;
BEGIN
  FOR role IN SELECT DISTINCT a.grantee::regrole::text
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'patients'::regclass AND a.grantee NOT IN (0, c.relowner) LOOP
    EXECUTE format('GRANT INSERT (patient_ids, application_id, address, user_agent, outcome) ON audit_entries TO %s', role);
  END LOOP;
END $$;
