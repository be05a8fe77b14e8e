import { z } from 'zod';
import { AUDIT_KINDS } from './audit-kinds.ts';
import { CursorPaging, flag, Id, Instant } from './conventions.ts';

export const AUDIT_ACTOR_TYPES = [
  'Admin',
  'Practitioner',
  'Staff',
  'Application',
  'Patient',
  'Visitor',
  'System',
] as const;

/** Filters of the audit log. */
const AuditFilter = {
  patient_id: Id.optional(),
  /** A staff user, an application or a patient. */
  actor_id: Id.optional(),
  actor_type: z.enum(AUDIT_ACTOR_TYPES).optional(),
  /** An action (`patients.update`), or all actions of one resource (`patients`); former names are found too. */
  action: z
    .string()
    .regex(/^[a-zA-Z_]{1,40}(\.[a-zA-Z_]{1,60})?$/, 'is not the name of an action')
    .optional(),
  kind: z.enum(AUDIT_KINDS).optional(),
  outcome: z.enum(['done', 'refused']).optional(),
  since: Instant.optional(),
  until: Instant.optional(),
};

export const ListAuditInput = z.strictObject({ ...AuditFilter, ...CursorPaging, with_total: flag.optional() });
export type ListAuditInput = z.infer<typeof ListAuditInput>;
export const ExportAuditInput = z.strictObject({ ...AuditFilter, format: z.enum(['csv', 'ndjson']) });
export type ExportAuditInput = z.infer<typeof ExportAuditInput>;
export const PatientAuditInput = z.strictObject({ patient_id: Id });
export type PatientAuditInput = z.infer<typeof PatientAuditInput>;

/** The actor of an audit entry; `name` is null when no record with a name exists any more. */
export type AuditActor = {
  type: (typeof AUDIT_ACTOR_TYPES)[number];
  id: string;
  name: string | null;
};

export type AuditEntryView = {
  id: string;
  at: string;
  /** The current name; `AuditAction`, unless a newer release wrote the entry. */
  action: string;
  /** `done`, or the error code. */
  outcome: string;
  actor: AuditActor;
  /** The patient on whose behalf an application acted. */
  on_behalf_of: { id: string; name: string | null } | null;
  /**
   * `name` is what it is called now: of a colleague, an application or a plan; of an appointment the practitioner, of a
   * webhook receiver the host. Null for what has no name to show, or no longer exists.
   */
  object: { type: string; id: string; name: string | null };
  /** The event of the change. */
  event: string | null;
  /** The payment that it is about, in minor units: what was moved (paid, refunded, disputed), and the total of the bill. */
  payment: { amount: number | null; total: number | null; currency: string } | null;
  /** The patients whose data was accessed: the first twenty of a list; `patient_count` has the total. */
  patients: { id: string; name: string | null }[];
  patient_count: number;
  address: string | null;
  /** For example "Firefox on Linux". */
  device: string | null;
  request_id: string;
  details: Record<string, unknown>;
};

/** The problem with the first entry that does not match its seal. */
export const AUDIT_PROBLEMS = [
  'changed',
  'removed',
  'swapped',
  'inserted',
  'seal_missing',
  'end_missing',
  'other_end',
  'other_checkpoint',
  'not_as_kept',
] as const;
export type AuditProblemView = {
  problem: (typeof AUDIT_PROBLEMS)[number];
  /** Position in the chain and time of writing, where known. */
  position: number | null;
  written_at: string | null;
  entry_id: string | null;
  /** Position of the entry that it was swapped with. */
  other_position: number | null;
};

/** The state of the audit log's hash chain. */
export type AuditChainView = {
  /** Position of the last sealed entry; 0 before the first. */
  sealed_through: number;
  sealed_at: string | null;
  /** Entries that are not sealed yet (counted up to a thousand), and the time of the oldest. */
  waiting: number;
  waiting_since: string | null;
  /** Position of the oldest entry; earlier entries were purged by the retention period. */
  held_from: number;
  running: { asked_at: string; checked: number; total: number } | null;
  /** Result of the last complete check; `through` is the end of the chain at that time. */
  last: { at: string; through: number; fault: AuditProblemView | null } | null;
};

/** An actor who accessed a patient's record. */
export type ChartReaderView = {
  id: string;
  actor: AuditActor;
  /** Counts of direct reads and changes, of appearances in lists, and of rejected requests. */
  times: number;
  in_lists: number;
  refused: number;
  first_at: string;
  last_at: string;
  actions: string[];
};
/** List entries are searched this many days back; direct access as long as the log is stored. */
export const LIST_ACCESS_DAYS = 30;
