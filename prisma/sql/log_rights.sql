-- The service may read and append to the logs. Only the database writes positions and seals: `position` is not among the
-- columns that the service may insert.
-- Used by: src/launcher/postgres/migrate-database.mjs (applies it)
SELECT carelane_rights('events'::regclass, 'SELECT, INSERT');
SELECT carelane_rights('audit_entries'::regclass, 'SELECT, INSERT (id, tenant_id, action, object_type, object_id, patient_id,
  patient_ids, actor_type, actor_id, on_behalf_of, application_id, request_id, address, user_agent, outcome, event, details,
  created_at)');
SELECT carelane_rights(t::regclass, 'SELECT') FROM unnest(ARRAY['audit_seals', 'audit_chains', 'audit_unsealed']) AS t;
