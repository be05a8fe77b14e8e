import type { AuditEntryView } from '#contract/audit.ts';

const ADA = { id: '1', name: 'Ada Example' };
let number = 0;

/** Returns an entry of the audit log about one patient, by a practitioner, with an id of its own. */
export const auditEntry = (overrides: Partial<AuditEntryView> = {}): AuditEntryView => {
  const { patients = [ADA] } = overrides;
  number += 1;
  return {
    id: `entry-${number}`,
    at: '2026-11-21T12:00:00.000Z',
    action: 'patients.get',
    outcome: 'done',
    actor: { type: 'Practitioner', id: 'lin', name: 'Lin Example' },
    on_behalf_of: null,
    object: { type: 'Patient', id: '*', name: null },
    event: null,
    payment: null,
    patients,
    patient_count: patients.length,
    address: '192.0.2.7',
    device: 'Firefox on Linux',
    request_id: 'request-1',
    details: {},
    ...overrides,
  };
};
