import type { AuditAction } from '#contract/audit-actions.ts';
import { requireStaff } from './actor.ts';
import type { Context } from './context.ts';
import { asCsv, type CsvColumn } from './csv.ts';
import { recordAccess } from './record-access.ts';

/** The patient's columns in an export. */
export const PATIENT_COLUMNS = { select: { firstName: true, lastName: true, email: true, phoneNumber: true } } as const;
type Row = {
  id: string;
  patientId: string;
  patient: Record<'firstName' | 'lastName' | 'email' | 'phoneNumber', string | null>;
};
export type NamedPatient = { patient: { name: string; email: string | null; phone: string | null } };

type Place = { at: Date; id: string };
/** As many patients as one audit entry names. */
const BATCH = 500;

type Export<R extends Row, Line> = {
  about: { action: AuditAction; object: { type: string; id: string } };
  /** The name of the row count in the audit entry's details. */
  counted: string;
  columns: CsvColumn<Line & NamedPatient>[];
  /**
   * Returns a function that reads rows in order, from the start or after a place, with filters fixed at one instant.
   */
  reader(): Promise<(last: Place | null, take: number) => Promise<R[]>>;
  placeOf(row: R): Place;
  lineOf(row: R): Line;
};

/**
 * Streams a list of patients' records as CSV. Staff only. An audit entry for the export precedes the first byte; each
 * batch adds one that names its patients.
 * @throws `forbidden`
 */
export async function exportPatientRecords<R extends Row, Line>(
  ctx: Context,
  filters: { patient_id?: string | undefined },
  what: Export<R, Line>,
): Promise<AsyncIterable<string>> {
  const patients = filters.patient_id ? [filters.patient_id] : [];
  try {
    requireStaff(ctx.actor, 'lists:export');
  } catch (error) {
    await recordAccess(ctx, { ...what.about, patients, outcome: 'forbidden' });
    throw error;
  }
  await recordAccess(ctx, { ...what.about, patients, details: { format: 'csv', filters: Object.keys(filters) } });
  return asCsv(what.columns, readParts(ctx, what));
}

async function* readParts<R extends Row, Line>(
  ctx: Context,
  { about, counted, reader, placeOf, lineOf }: Export<R, Line>,
): AsyncGenerator<(Line & NamedPatient)[]> {
  const read = await reader();
  let last: Place | null = null;
  do {
    const rows: R[] = await read(last, BATCH);
    const patients = rows.map(({ patientId }) => patientId);
    if (rows.length > 0) await recordAccess(ctx, { ...about, patients, details: { [counted]: rows.length } });
    yield rows.map((row) => ({ ...lineOf(row), patient: named(row) }));
    const end = rows.at(-1);
    last = end && rows.length === BATCH ? placeOf(end) : null;
  } while (last);
}

const named = ({ patient: { firstName, lastName, email, phoneNumber } }: Row): NamedPatient['patient'] => ({
  name: [firstName, lastName].filter(Boolean).join(' '),
  email,
  phone: phoneNumber,
});
