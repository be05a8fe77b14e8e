-- A patient's story is told from the audit log for as long as that is kept, so an entry names the event that told of its
-- change; events themselves go sooner. Empty where there was none, so that what is sealed stays what it was.
ALTER TABLE audit_entries ADD COLUMN IF NOT EXISTS "event" TEXT;

-- What happened to one patient, newest first, past what was only looked at: charts are opened far more often than
-- anything happens. The list stands in the query too (src/server/chart/read-changes.ts); actions that are named there
-- later are passed over one by one.
CREATE INDEX IF NOT EXISTS "audit_entries_changes_idx" ON "audit_entries"("tenant_id", "patient_id", "created_at", "position")
  WHERE outcome IS NULL AND action <> ALL (ARRAY['patients.get', 'patients.me', 'patients.list', 'patients.care',
    'appointments.get', 'appointments.list', 'subscriptions.get', 'subscriptions.list', 'subscriptions.listCheckoutLinks',
    'sign_ins.get', 'users.get', 'sessions.refresh', 'patients.impersonate', 'events.get', 'events.list', 'events.latest',
    'story.list']);

-- The service's role is known by the rights that tables get by default; its name is a setting.
DO $$
DECLARE role text;
BEGIN
  FOR role IN SELECT DISTINCT a.grantee::regrole::text
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'patients'::regclass AND a.grantee NOT IN (0, c.relowner) LOOP
    EXECUTE format('GRANT INSERT (event) ON audit_entries TO %s', role);
  END LOOP;
END $$;
