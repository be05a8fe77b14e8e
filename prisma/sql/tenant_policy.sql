-- Row-level security: a connection reads and writes the rows of the tenant in `app.tenant_id`, and fails without one. It
-- applies to the owner too, except for reads of patients (carelane_find_patients). A table with a tenant belongs in this
-- list, or in another policy's file.
-- A table that already has the policy is skipped, because creating one takes a lock that blocks readers.
-- Used by: src/server/core/database/tenant-pool.ts (sets app.tenant_id)
DO $$
DECLARE
  target text;
  own text;
BEGIN
  FOREACH target IN ARRAY ARRAY[
    'address_changes', 'application_secrets', 'applications', 'appointments', 'asked_email_changes', 'audit_chains',
    'audit_checks', 'audit_entries', 'audit_seals', 'audit_unsealed', 'availability_days', 'checkout_links',
    'code_sends', 'daily_lists', 'event_feeds', 'event_numbers', 'events', 'idempotency_keys', 'inbound_events',
    'integrations', 'known_devices', 'manage_links', 'message_choices', 'message_settings', 'note_drafts',
    'note_versions', 'notes', 'one_time_codes', 'patient_addresses', 'patient_phones', 'patient_sessions',
    'patient_sign_ins', 'patients', 'payments', 'processor_customers', 'provider_snapshots', 'refresh_tokens',
    'scheduling_reconciles', 'scheduling_repairs', 'sent_invitations', 'sign_in_failures', 'sign_in_helps',
    'sign_in_steps', 'sign_up_attempts', 'slot_claims', 'staff_links', 'staff_recovery_codes', 'staff_sessions',
    'staff_two_steps', 'staff_users', 'stripe_reconciles', 'stripe_repairs', 'subscription_intents',
    'subscription_prices', 'subscriptions', 'tasks', 'tenant_logos', 'tenants', 'unknown_subscriptions',
    'unmatched_appointments', 'visit_calls', 'visit_messages', 'visit_seats', 'visit_signals', 'webhook_deliveries',
    'webhook_endpoints', 'webhook_hours'
  ] LOOP
    own := CASE target WHEN 'tenants' THEN 'id' ELSE 'tenant_id' END || ' = (SELECT current_setting(''app.tenant_id'')::uuid)';
    CONTINUE WHEN EXISTS (SELECT FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
      WHERE c.oid = target::regclass AND c.relrowsecurity AND c.relforcerowsecurity AND p.polname = 'tenant'
        AND p.polcmd = '*' AND p.polroles = '{0}'
        -- As PostgreSQL prints the expression; if a version prints it differently, the policy is created again.
        AND pg_get_expr(p.polqual, p.polrelid) = format(
          '(%s = ( SELECT (current_setting(''app.tenant_id''::text))::uuid AS current_setting))', split_part(own, ' ', 1))
        AND pg_get_expr(p.polwithcheck, p.polrelid) = pg_get_expr(p.polqual, p.polrelid));
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', target);
    EXECUTE format('DROP POLICY IF EXISTS tenant ON %I', target);
    EXECUTE format('CREATE POLICY tenant ON %I USING (%s) WITH CHECK (%s)', target, own, own);
  END LOOP;
END $$;
