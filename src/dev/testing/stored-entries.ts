import type pg from 'pg';
import type { NewAuditEntry } from '#server/core/audit-writer.ts';

/** One row of the audit log as stored. */
export type StoredEntry = Omit<NewAuditEntry, 'id' | 'shares'>;

/** Returns the audit entries that a request left, by the request id of its response. */
export async function auditEntriesOf(owner: pg.ClientBase, requestId: unknown): Promise<StoredEntry[]> {
  const { rows } = await owner.query<StoredEntry>(
    'select * from audit_entries where request_id = $1 order by position',
    [requestId],
  );
  return rows;
}

export const patientsOf = ({ patient_id, patient_ids }: StoredEntry): string[] => [
  ...(patient_id === null ? [] : [patient_id]),
  ...(patient_ids ?? []),
];
