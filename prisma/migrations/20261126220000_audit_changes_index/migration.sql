-- A patient's changes without frequent reads, under the reads' current and former names (UNINDEXED_ACTIONS in
-- src/contract/audit-actions.ts). Dropped first, so that the strongest lock is taken before the log is scanned: audit entries,
-- and so reads of patients' data, wait until the index is built. The previous release's queries use the index on patient and time.
DROP INDEX "audit_entries_changes_idx";
CREATE INDEX "audit_entries_changes_idx" ON "audit_entries"("tenant_id", "patient_id", "created_at", "position")
  WHERE outcome IS NULL AND action <> ALL (ARRAY[
    'patients.get', 'patients.get_own', 'patients.me', 'patients.list', 'patients.preview_archive', 'patients.care',
    'appointments.get', 'appointments.list', 'subscriptions.get', 'subscriptions.list',
    'subscriptions.list_checkout_links', 'subscriptions.listCheckoutLinks', 'sign_ins.get', 'users.get',
    'sessions.refresh', 'patients.impersonate', 'events.get', 'events.list', 'events.list_latest', 'events.latest',
    'timeline.list', 'story.list']);
