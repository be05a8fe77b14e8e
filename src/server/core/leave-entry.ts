import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { isStaff } from './actor.ts';
import type { Context } from './context.ts';
import { CarelaneError } from './errors.ts';
import { isId } from './ids.ts';
import { type Access, noteAccess } from './note-access.ts';

/** What a procedure reads or changes. Each has to say it; see `patientData` and `noPatient`. */
export type Reads = { of: 'patient'; object: ObjectType; action?: string } | { of: 'none' };
/** What the entry names: the thing itself where the call is about one, otherwise `*`. */
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
  | 'Story';

const OF_EVENTS = new Set<ObjectType>(['Event', 'WebhookEndpoint', 'WebhookDelivery']);

export type Call = {
  reads: Reads;
  /** The procedure's name, by which the log calls it unless it says another. */
  path: string;
  type: 'query' | 'mutation' | 'subscription';
  /** As it came: not judged yet. */
  input: unknown;
};
export type Outcome = { ok: true; data: unknown } | { ok: false; error: { cause?: unknown } };

/**
 * The one rule of audit entries: whatever is asked of patients' data leaves one, before the answer does. A change left
 * its own in its transaction. What is nobody's data leaves one only when it is asked for in a patient's name.
 * Error: service_busy when the entry cannot be written.
 */
export async function leaveEntry(ctx: Context, call: Call, outcome: Outcome): Promise<void> {
  const access = accessOf(ctx, call, outcome);
  if (access) await noteAccess(ctx, access);
}

/** Of a call that could have changed something: asked for again, or a page that was only opened. No line of a story. */
const UNCHANGED = { unchanged: true };

function accessOf(ctx: Context, { reads, path, type, input }: Call, outcome: Outcome): Access | null {
  const { actor, trail } = ctx;
  if (actor.kind === 'system' || (type !== 'query' && outcome.ok && trail.hasEntry)) return null;
  if (reads.of === 'none') {
    if (actor.kind !== 'patient' || !actor.impersonatedBy || !outcome.ok) return null;
    const own = { object: { type: 'Patient', id: actor.patientId }, patients: [actor.patientId] };
    return { action: path, ...own, details: UNCHANGED };
  }
  const asked = askedFor(input, reads.object);
  const about = { action: reads.action ?? path, object: { type: reads.object, id: asked.object ?? '*' } };
  const patients = [...asked.patients, ...trail.patients];
  // Where one's own record is meant without naming it, and what a list by its own filter could hold at most.
  if (actor.kind === 'patient' && patients.length === 0) patients.push(actor.patientId);
  if (outcome.ok) {
    const shown = patientsIn(outcome.data, reads.object);
    // Whoever waits for what comes asks twice a minute, and has seen nothing yet; and not every event is a patient's.
    if (OF_EVENTS.has(reads.object) && shown.length === 0) return null;
    const one = about.object.id === '*' && reads.object === 'Patient' && actor.kind === 'patient';
    return {
      ...about,
      ...(one && { object: { type: 'Patient', id: actor.patientId } }),
      patients: [...patients, ...shown],
      ...(type !== 'query' && { details: UNCHANGED }),
      shares: ctx.isRefetch && type === 'query' && isStaff(actor),
    };
  }
  const code = refusalOf(outcome.error);
  if (!code) return null;
  // A stranger with a link that leads nowhere was near nobody's data.
  if (actor.kind === 'visitor' && trail.patients.size === 0) return null;
  return { ...about, patients, outcome: code };
}

/** What somebody was not given, or kept from doing. Wrong input and our own troubles are no matter of anybody's data. */
const REFUSALS = new Set([401, 403, 404, 409, 410]);
function refusalOf({ cause }: { cause?: unknown }): ErrorCode | null {
  return cause instanceof CarelaneError && REFUSALS.has(ERRORS[cause.code].status) ? cause.code : null;
}

/** Only what is shaped like an id of ours: anything else may be somebody's name. */
function askedFor(input: unknown, object: ObjectType): { object: string | null; patients: string[] } {
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

/** A subscription has items too. */
const isPage = (data: unknown): data is { items: unknown[] } =>
  typeof data === 'object' && data !== null && !('id' in data) && 'items' in data && Array.isArray(data.items);

/** Whom an answer shows: of patients their own ids, of anything else the patients that it names. */
function patientsIn(data: unknown, object: ObjectType): string[] {
  const rows = isPage(data) ? data.items : Array.isArray(data) ? data : [data];
  return rows.flatMap((row) => {
    const { id, patient_id } = (row ?? {}) as Record<string, unknown>;
    const patient = patient_id ?? (object === 'Patient' ? id : undefined);
    return typeof patient === 'string' && isId(patient) ? [patient] : [];
  });
}
