import type pg from 'pg';
import type { Entry } from '#server/core/entries.ts';

/** One row of the audit log as stored. */
export type LeftEntry = Omit<Entry, 'id' | 'shares'>;

/** Returns the audit entries that a request left, by the request id of its response. */
export async function entriesLeft(owner: pg.ClientBase, requestId: unknown): Promise<LeftEntry[]> {
  const { rows } = await owner.query<LeftEntry>('select * from audit_entries where request_id = $1 order by position', [
    requestId,
  ]);
  return rows;
}

export const patientsOf = ({ patient_id, patient_ids }: LeftEntry): string[] => [
  ...(patient_id === null ? [] : [patient_id]),
  ...(patient_ids ?? []),
];
