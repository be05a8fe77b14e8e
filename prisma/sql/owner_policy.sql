-- In addition to the tenant's policy: functions of the owner access the log of every tenant. Default partitions are closed.
-- Used by: make_log_partitions (moves all rows), seal_audit (all tenants), audit_tenants_to_seal (all), trim_audit_seals (all)
DO $$
DECLARE target text;
BEGIN
  FOREACH target IN ARRAY ARRAY['events', 'audit_entries', 'audit_seals', 'audit_chains', 'audit_unsealed'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_policy WHERE polrelid = target::regclass AND polname = 'owner');
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', target);
  END LOOP;
  FOREACH target IN ARRAY ARRAY['events_default', 'audit_entries_default'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_policy WHERE polrelid = target::regclass AND polname = 'owner');
    PERFORM carelane_shut(target::regclass);
  END LOOP;
END $$;
