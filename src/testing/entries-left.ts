import type pg from 'pg';

/** One row of the audit log, as it lies there. */
export type LeftEntry = {
  action: string;
  object_type: string;
  object_id: string;
  patient_id: string | null;
  patient_ids: string[] | null;
  actor_type: string;
  actor_id: string;
  on_behalf_of: string | null;
  application_id: string | null;
  request_id: string;
  address: string | null;
  user_agent: string | null;
  outcome: string | null;
  details: Record<string, unknown>;
};

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
