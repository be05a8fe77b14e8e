import type { AuditAction } from '#contract/audit-actions.ts';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { isStaff } from './actor.ts';
import type { Context } from './context.ts';
import { CarelaneError } from './errors.ts';
import { isId } from './ids.ts';
import { idsOfJson } from './json-page.ts';
import { type Access, recordAccess } from './record-access.ts';

/** The data that a procedure reads or changes. Every procedure declares it; see `patientData` and `noPatient`. */
export type Reads = ({ of: 'patient'; object: ObjectType } | { of: 'none' }) & { action?: AuditAction };
/** The object type in the entry; its id is the record's, or `*` for a call that is not about one record. */
export type ObjectType =
  | 'Patient'
  | 'Subscription'
  | 'Payment'
  | 'Appointment'
  | 'Message'
  | 'Event'
  | 'AuditLog'
  | 'WebhookEndpoint'
  | 'WebhookDelivery'
  | 'Task'
  | 'Note'
  | 'Timeline';

const OF_EVENTS = new Set<ObjectType>(['Event', 'WebhookEndpoint', 'WebhookDelivery']);

export type AuditedCall = {
  reads: Reads;
  /** The procedure's name. */
  path: string;
  type: 'query' | 'mutation' | 'subscription';
  /** The raw input, not validated yet. */
  input: unknown;
};
/** Returns a procedure's audit action: the declared one, or its name in snake case, which a test compares with the contract. */
export const actionOf = (path: string, { action }: Reads): AuditAction =>
  action ?? (path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as AuditAction);
export type Outcome = { ok: true; data: unknown } | { ok: false; error: { cause?: unknown } };

/**
 * Writes the audit entry of a call to patients' data before its response is sent. A change has written its own entry in
 * its transaction. A call without patient data gets an entry only under impersonation.
 * @throws `service_busy` when the entry cannot be written
 */
export async function writeAuditEntry(ctx: Context, call: AuditedCall, outcome: Outcome): Promise<void> {
  const access = accessOf(ctx, call, outcome);
  if (access) await recordAccess(ctx, access);
}

/** A mutation or subscription that changed nothing: a repeated request or an opened page. Not shown in the timeline. */
const UNCHANGED = { unchanged: true };

function accessOf(ctx: Context, { reads, path, type, input }: AuditedCall, outcome: Outcome): Access | null {
  const { actor, trail } = ctx;
  if (actor.kind === 'system' || (type !== 'query' && outcome.ok && trail.hasEntry)) return null;
  if (reads.of === 'none') {
    if (actor.kind !== 'patient' || !actor.impersonatedBy || !outcome.ok) return null;
    const ownRecord = { object: { type: 'Patient', id: actor.patientId }, patients: [actor.patientId] };
    return { action: actionOf(path, reads), ...ownRecord, details: UNCHANGED };
  }
  const requested = requestedIds(input, reads.object);
  const action = actionOf(path, reads);
  const object = { type: reads.object, id: requested.object ?? '*' };
  const patients = [...requested.patients, ...trail.patients];
  // A patient who names no record means their own; a list is limited by its own filter.
  if (actor.kind === 'patient' && patients.length === 0) patients.push(actor.patientId);
  if (outcome.ok) {
    const shown = patientsIn(outcome.data, reads.object);
    // Clients that wait for events poll twice a minute and may have seen nothing; and not every event is a patient's.
    if (OF_EVENTS.has(reads.object) && shown.length === 0) return null;
    if (object.id === '*' && reads.object === 'Patient' && actor.kind === 'patient') object.id = actor.patientId;
    const details = type === 'query' ? {} : { ...trail.details, ...UNCHANGED };
    const shares = ctx.isRefetch && type === 'query' && isStaff(actor);
    return { action, object, patients: [...patients, ...shown], details, shares };
  }
  const code = deniedCodeOf(outcome.error);
  if (!code) return null;
  // An unauthenticated client with an invalid link reached no patient's data.
  if (actor.kind === 'visitor' && trail.patients.size === 0) return null;
  return { action, object, patients, outcome: code, details: trail.details };
}

/** Errors that denied access or a change. Invalid input and internal errors do not concern patient data. */
const DENIED_STATUSES = new Set([401, 403, 404, 409, 410]);
function deniedCodeOf({ cause }: { cause?: unknown }): ErrorCode | null {
  return cause instanceof CarelaneError && DENIED_STATUSES.has(ERRORS[cause.code].status) ? cause.code : null;
}

/** Returns only values in the format of an id: any other text could be a person's name. */
function requestedIds(input: unknown, object: ObjectType): { object: string | null; patients: string[] } {
  const { id, patient_id, subscription_id } = (typeof input === 'object' && input !== null ? input : {}) as Record<
    string,
    unknown
  >;
  const named = idOf(object === 'Subscription' ? (id ?? subscription_id) : id);
  const patient = idOf(patient_id) ?? (object === 'Patient' ? named : null);
  const patients = patient !== null && isId(patient) ? [patient] : [];
  return { object: named ?? (object === 'Patient' ? (patients[0] ?? null) : null), patients };
}

const idOf = (value: unknown): string | null => {
  if (typeof value !== 'string') return null;
  return isId(value) ? value.toLowerCase() : /^(?:sub|in)_[A-Za-z0-9]{1,60}$/.test(value) ? value : null;
};

/** A subscription also has `items`. */
const isPage = (data: unknown): data is { items: unknown[] } =>
  typeof data === 'object' && data !== null && !('id' in data) && 'items' in data && Array.isArray(data.items);

/** Returns the patients that a response shows: a patient's own id, or the `patient_id` of any other record. */
function patientsIn(data: unknown, object: ObjectType): readonly string[] {
  const ids = object === 'Patient' && typeof data === 'object' && data !== null ? idsOfJson(data) : null;
  if (ids) return ids;
  const rows = isPage(data) ? data.items : Array.isArray(data) ? data : [data];
  return rows.flatMap((row) => {
    const { id, patient_id } = (row ?? {}) as Record<string, unknown>;
    const patient = patient_id ?? (object === 'Patient' ? id : undefined);
    return typeof patient === 'string' && isId(patient) ? [patient] : [];
  });
}
