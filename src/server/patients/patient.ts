import type { Patient } from '#generated/prisma/client.ts';
import { type Actor, isStaff } from '#server/core/actor.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Queryable, query, type Tx } from '#server/core/db.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { dequeue, enqueue } from '#server/core/jobs.ts';
import { localDay, toMinute } from '#server/core/zone.ts';

/** Counts matching patients, up to `most`. Runs only when a total is requested. */
export async function countPatients(db: Queryable, where: Prisma.Sql, most?: number): Promise<number> {
  const [result] = await query<{ count: number }>(
    db,
    Prisma.sql`select count(*)::int as count from (select from patients p where ${where} limit ${most ?? null}::int) p`,
  );
  return result!.count;
}

/** A race as the API returns it. */
type Race = { level_2_display: string; level_3_display: string | null };
type RaceInput = { level_2_display: string; level_3_display?: string | null | undefined };

/**
 * Separates the two levels in the column, which was created for the second level only; no race name contains it. The
 * column keeps its type because two versions write the same rows during a rolling restart.
 */
export const RACE_SEPARATOR = '\u001f';

/** Converts races to the column's format. */
export const racesToTexts = (races: RaceInput[]): string[] =>
  races.map(({ level_2_display, level_3_display }) =>
    level_3_display ? `${level_2_display}${RACE_SEPARATOR}${level_3_display}` : level_2_display,
  );

export const racesFromTexts = (texts: string[]): Race[] =>
  texts.map((text) => {
    const at = text.indexOf(RACE_SEPARATOR);
    if (at < 0) return { level_2_display: text, level_3_display: null };
    return { level_2_display: text.slice(0, at), level_3_display: text.slice(at + 1) };
  });

/** Maps a violated unique constraint to `email_taken` or `external_id_taken` (409) and rethrows any other error. */
export function rethrowUniqueViolation(error: unknown): never {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
    const constraint = JSON.stringify(error.meta);
    if (constraint.includes('external_id'))
      throw apiError('external_id_taken', 'Another patient has this external id, perhaps an archived one.', {
        source: { pointer: '/external_id' },
      });
    if (constraint.includes('email'))
      throw apiError('email_taken', 'Another patient has this email address, perhaps an archived one.', {
        source: { pointer: '/email' },
      });
  }
  throw error;
}

/**
 * True when the actor may access the patient: applications, staff users and the system any patient of their tenant, a
 * patient only themselves.
 */
export const mayActFor = (actor: Actor, patientId: string): boolean =>
  isStaff(actor) ||
  actor.kind === 'application' ||
  actor.kind === 'system' ||
  (actor.kind === 'patient' && actor.patientId === patientId);

/**
 * Returns the patient's row when the actor may access it; the caller checks scopes. Pass the transaction to read inside
 * it.
 *
 * @throws not_found.
 */
export async function loadPatientFor(
  ctx: Context,
  patientId: string,
  db: Pick<Tx, 'patient'> = ctx.db,
): Promise<Patient> {
  if (!isId(patientId) || !mayActFor(ctx.actor, patientId)) throw notFound('patient');
  const patient = await db.patient.findFirst({ where: { tenantId: ctx.tenantId, id: patientId } });
  if (!patient) throw notFound('patient');
  return patient;
}

/**
 * Returns the ids of a patient and of the records that were merged into theirs.
 *
 * @throws not_found.
 */
export async function listMerged({ db, tenantId }: Pick<Context, 'db' | 'tenantId'>, id: string): Promise<string[]> {
  const rows = await db.patient.findMany({
    where: { tenantId, OR: [{ id }, { mergedInto: id }] },
    select: { id: true },
  });
  const ids = rows.map((row) => row.id);
  if (!ids.includes(id)) throw notFound('patient');
  return ids;
}

/** Finds the tenant's patient by email in any case, archived or not; without an access check. */
export const findPatientByEmail = (ctx: Pick<Context, 'db' | 'tenantId'>, email: string): Promise<Patient | null> =>
  ctx.db.patient.findFirst({ where: { tenantId: ctx.tenantId, email: email.trim().toLowerCase() } });

/** Throws `invalid_parameter` when the given `patient_id` is not the owner of the resource. */
export function assertOwner({ patientId }: { patientId: string | null }, requestedId: string | undefined): void {
  if (requestedId === undefined || requestedId === patientId) return;
  throw apiError('invalid_parameter', '"patient_id" names another patient than whose this is; leave it out.', {
    people: 'This is another patient’s.',
    source: { pointer: '/patient_id' },
  });
}

/**
 * Reads and locks a patient for an update, which serializes changes of one patient.
 *
 * @throws not_found.
 */
export async function lockPatient(ctx: Context, tx: Tx, id: string): Promise<Patient> {
  if (!mayActFor(ctx.actor, id)) throw notFound('patient');
  await tx.$queryRaw`select 1 from patients where tenant_id = ${ctx.tenantId}::uuid and id = ${id}::uuid for update`;
  const patient = await tx.patient.findFirst({ where: { tenantId: ctx.tenantId, id } });
  if (!patient) throw notFound('patient');
  return patient;
}

/** Query condition: patients who are neither archived nor about to be. */
export const IN_CARE = { archivedAt: null, careEndingAt: null } as const;

/** The columns that `isInCare` needs. */
export const CARE_COLUMNS = { archivedAt: true, careEndingAt: true } as const;

/**
 * True when the patient is neither archived nor about to be. Required to sign in, to be invited and to set a password.
 */
export const isInCare = ({ archivedAt, careEndingAt }: Pick<Patient, 'archivedAt' | 'careEndingAt'>): boolean =>
  archivedAt === null && careEndingAt === null;

/**
 * Rejects changes, bookings and subscriptions for an archived patient.
 *
 * @throws 422 `patient_archived`.
 */
export function assertNotArchived(patient: Pick<Patient, 'status'>): void {
  if (patient.status === 'archived')
    throw apiError('patient_archived', 'This patient is archived and can only be read.');
}

/**
 * Rejects something new for a record that was merged into another.
 *
 * @throws 422 `patient_archived`.
 */
export function assertNotMerged({ mergedInto }: Pick<Patient, 'mergedInto'>): void {
  if (mergedInto !== null)
    throw apiError('patient_archived', `This record was merged into that of the patient ${mergedInto}.`, {
      people: 'This record was merged into another one. Open that one.',
    });
}

/**
 * Returns the patient who has a record now: the one that it was merged into, or the patient itself. Until the transaction
 * ends, the record is not merged.
 */
export async function lockOwner(
  tx: Pick<Tx, '$queryRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  patientId: string,
): Promise<string> {
  const [owner] = await tx.$queryRaw<{ id: string }[]>`
    select coalesce(merged_into, id) as id from patients
    where tenant_id = ${tenantId}::uuid and id = ${patientId}::uuid for share`;
  return owner?.id ?? patientId;
}

type Care = Pick<Patient, 'status'> & { careEndingAt: Date | string | null };

/**
 * Rejects anything new for a patient who is archived or about to be.
 *
 * @throws 422 `patient_archived`.
 */
export function assertInCare(patient: Care): void {
  assertNotArchived(patient);
  if (patient.careEndingAt)
    throw apiError('patient_archived', "This patient's care is ending: nothing new is booked or begun for them.");
}

/**
 * The same under a share lock until the transaction ends: a concurrent archiving waits, and then sees what was created.
 */
export async function lockInCare(tx: Tx, ctx: Pick<Context, 'tenantId'>, patientId: string): Promise<void> {
  const patient = await lockCareStatus(tx, ctx, patientId);
  if (patient) assertInCare(patient);
}

/** Returns the patient's care status under a share lock until the transaction ends. */
async function lockCareStatus(
  tx: Pick<Tx, '$queryRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  patientId: string,
): Promise<(Care & Pick<Patient, 'mergedInto'>) | null> {
  const [patient] = await tx.$queryRaw<(Care & Pick<Patient, 'mergedInto'>)[]>`
    select status, care_ending_at as "careEndingAt", merged_into as "mergedInto" from patients
    where tenant_id = ${tenantId}::uuid and id = ${patientId}::uuid for share`;
  return patient ?? null;
}

type JobTx = Pick<Tx, '$executeRaw' | '$queryRaw'>;
type JobContext = Pick<Context, 'tenantId' | 'clock'>;
const endOfCareKey = (patientId: string): string => `end_care:${patientId}`;
type Retry = { tries: number; pauseMs: number };

/**
 * Queues the job that ends a patient's appointments and subscriptions, now or after a pause; at most one job per
 * patient.
 */
export function queueEndOfCare(
  tx: JobTx,
  { tenantId, clock }: JobContext,
  patientId: string,
  { tries, pauseMs }: Retry = { tries: 0, pauseMs: 0 },
): Promise<void> {
  const runAt = new Date(clock.now().getTime() + pauseMs);
  return enqueue(tx, 'end_care', { tenantId, patientId, tries }, { runAt, key: endOfCareKey(patientId) });
}

/** Removes the job when nothing is left to end. */
export const dequeueEndOfCare = (tx: JobTx, patientId: string): Promise<void> => dequeue(tx, endOfCareKey(patientId));

/**
 * Queues the job for a new appointment or subscription of a patient whose care has ended in the meantime; called last
 * in its transaction. A concurrent archiving either waits for this transaction or is seen here. What belongs to a merged
 * record moves to its patient.
 */
export async function endCareIfArchived(tx: JobTx, ctx: JobContext, patientId: string): Promise<void> {
  const care = await lockCareStatus(tx, ctx, patientId);
  if (care?.mergedInto) await enqueue(tx, 'move_late_rows', { tenantId: ctx.tenantId, patientId });
  else if (care && (care.status === 'archived' || care.careEndingAt)) await queueEndOfCare(tx, ctx, patientId);
}

/** Delay that combines several edits into one call. */
const DEBOUNCE_MS = 2 * SECOND;

/**
 * Queues a job that copies the patient's name, email and phone number to the Stripe customer, in the transaction that
 * changes them; no-op without a customer. The job reads the values when it runs. `runAt` is set by a comparison, which
 * may queue many.
 */
export async function queueCustomerUpdate(
  tx: Pick<Tx, '$executeRaw' | 'processorCustomer'>,
  { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>,
  patientId: string,
  runAt?: Date,
): Promise<void> {
  if ((await tx.processorCustomer.count({ where: { tenantId, patientId, deletedAt: null } })) === 0) return;
  const payload = { tenantId, patientId, ...(runAt && { found: 'comparison' as const }) };
  await enqueue(tx, 'update_customer', payload, {
    runAt: runAt ?? new Date(clock.now().getTime() + DEBOUNCE_MS),
    key: `update_customer:${patientId}`,
    keepEarlier: runAt !== undefined,
  });
}

const OLDEST_YEARS = 200;

/** Returns the last date of birth that makes a patient at least `years` old on `today`; null for an impossible age. */
export function latestBirthDate(today: string, years: number): string | null {
  if (years <= 0) return today;
  if (years > OLDEST_YEARS) return null;
  const year = Number(today.slice(0, 4)) - years;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const day = today.slice(5) === '02-29' && !isLeap ? '02-28' : today.slice(5);
  return `${String(year).padStart(4, '0')}-${day}`;
}

type TenantContext = Pick<Context, 'tenantId' | 'timeZones'> & { db: Pick<Tx, 'tenant'> };

/** Returns today's date, `YYYY-MM-DD`, in the tenant's time zone, which ages are based on. */
export const tenantToday = async (ctx: TenantContext & Pick<Context, 'clock'>): Promise<string> =>
  localDay(toMinute(ctx.clock.now()), await tenantZone(ctx));

/** Returns the tenant's IANA time zone. */
export async function tenantZone(ctx: TenantContext): Promise<string> {
  const zones = ctx.timeZones;
  let zone = zones.get(ctx.tenantId);
  if (!zone) {
    const tenant = await ctx.db.tenant.findUnique({ where: { id: ctx.tenantId }, select: { timeZone: true } });
    zone = tenant?.timeZone ?? 'UTC';
    if (tenant) zones.set(ctx.tenantId, zone);
  }
  return zone;
}
