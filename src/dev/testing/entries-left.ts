import type pg from 'pg';
import type { Entry } from '#server/core/entries.ts';

/** One row of the audit log, as it lies there. */
export type LeftEntry = Omit<Entry, 'id' | 'shares'>;

/** What a request has left in the audit log, told by the number that its answer carries. */
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
