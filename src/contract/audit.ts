import { z } from 'zod';
import { CursorPaging, flag, Id, Instant } from './conventions.ts';

/** What the log is narrowed to. */
const AuditFilter = {
  patient_id: Id.optional(),
  /** A member of the team, an application, or a patient. */
  actor_id: Id.optional(),
  /** The verb, or a whole kind of it: `patients`. */
  action: z
    .string()
    .regex(/^[a-zA-Z_]{1,40}(\.[a-zA-Z_]{1,60})?$/, 'is not the name of an action')
    .optional(),
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

/** Who did something, by name where there is one now. */
export type AuditActor = {
  type: 'Admin' | 'Practitioner' | 'Application' | 'Patient' | 'Visitor' | 'System';
  id: string;
  name: string | null;
};

export type AuditEntryView = {
  id: string;
  at: string;
  action: string;
  /** `done`, or the code of the refusal. */
  outcome: string;
  actor: AuditActor;
  /** The patient in whose name an application acted. */
  on_behalf_of: { id: string; name: string | null } | null;
  object: { type: string; id: string };
  /** Whose data it was: the first twenty of a list, and how many there were. */
  patients: { id: string; name: string | null }[];
  patient_count: number;
  address: string | null;
  /** Such as "Firefox on Linux". */
  device: string | null;
  request_id: string;
  details: Record<string, unknown>;
};

/** One who has had to do with a patient's record. */
export type ChartReaderView = {
  id: string;
  actor: AuditActor;
  /** How often they saw or changed something of it, how often in a list, and how often they were refused. */
  times: number;
  in_lists: number;
  refused: number;
  first_at: string;
  last_at: string;
  actions: string[];
};
/** Lists are looked through for so many days back; what was opened by itself for as long as the log is kept. */
export const LISTS_LOOKED_THROUGH_DAYS = 30;
