import type { MergeField, MergePatientsInput } from '#contract/merge-patients.ts';
import type { PatientView, UpdatePatientInput } from '#contract/patients.ts';
import { lastChoice } from '#server/consent/index.ts';
import { requireStaff } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { Prisma, query, type Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { lockPerson } from '#server/core/lock-person.ts';
import { record } from '#server/core/record.ts';
import {
  archivePatient,
  endPendingSignIns,
  getPatientView,
  lockPatient,
  rethrowUniqueViolation,
  tenantToday,
  writeUpdate,
} from '#server/patients/index.ts';
import { lockPatient as lockSubscriptions } from '#server/plans/index.ts';
import { mergeCustomers } from './merge-customers.ts';
import { moveRows } from './move-rows.ts';
import { assertTwo, findObstacles, isEmpty, newAddresses, newPhones } from './preview-merge.ts';

/**
 * Merges another record into a patient's: what belongs to it moves, and it is archived and names the patient from then
 * on. A sign-in never moves: the patient keeps the own one or has none, and the other record's access ends. Providers
 * are updated by jobs. A repeated request returns the patient. For admins.
 * @throws `not_found`, `conflict` for records that cannot be merged, or that changed since they were previewed
 */
export async function mergePatients(ctx: Context, input: MergePatientsInput): Promise<PatientView> {
  requireStaff(ctx.actor, 'patients:merge');
  assertTwo(input);
  const { id, other_id: otherId } = input;
  for (const patientId of [id, otherId]) ctx.trail.patients.add(patientId);
  const today = await tenantToday(ctx);
  const merge = async (tx: Tx) => {
    await lockBoth(tx, ctx, [id, otherId]);
    const patient = await getPatientView(tx, ctx, id, today);
    const other = await getPatientView(tx, ctx, otherId, today);
    if (other.merged_into === id) return patient;
    assertAsPreviewed(input, patient, other);
    const { obstacles, accountsSubscribed } = await findObstacles(tx, ctx, patient, other);
    if (obstacles.length > 0) throw apiError('conflict', obstacles.map(({ detail }) => detail).join(' '));

    const take = input.take.filter((field) => !isEmpty(other, field));
    await endAccess(tx, ctx, { id, otherId });
    await keepStops(tx, ctx, { id, otherId });
    await moveRows(tx, ctx, otherId, id);
    await mergeCustomers(tx, ctx, { id, otherId }, { accountsSubscribed });
    await tx.patient.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id: otherId } },
      data: { mergedInto: id, ...releasedBy(take) },
    });
    await archivePatient(tx, ctx, otherId, { merged_into: id });
    await redirectMerged(tx, ctx, otherId, id);
    await writeValues(tx, ctx, { patient, other, take }, today);
    // Also without other values: a preview of before is no longer right.
    await tx.patient.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      data: { updatedAt: ctx.clock.now() },
    });
    const view = await getPatientView(tx, ctx, id, today);
    await record(tx, ctx, {
      action: 'patients.merge',
      object: { type: 'Patient', id },
      patientId: id,
      event: 'patient.merged',
      payload: { ...view, merged_patient_id: otherId },
      response: view,
      details: { merged_patient_id: otherId, taken: take },
    });
    await enqueue(tx, 'update_clients', { tenantId: ctx.tenantId, patientId: id });
    const runAt = new Date(ctx.clock.now().getTime() + MINUTE);
    await enqueue(tx, 'move_late_rows', { tenantId: ctx.tenantId, patientId: otherId }, { runAt });
    return view;
  };
  return retryDeadlock(() => ctx.db.$transaction(merge)).catch(rethrowUniqueViolation);
}

const MAX_ATTEMPTS = 3;

/** A merge locks rows of many tables; a transaction that locks some of them in another order makes PostgreSQL end one. */
async function retryDeadlock<Result>(run: () => Promise<Result>, attempt = 1): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (attempt === MAX_ATTEMPTS || !isDeadlock(error)) throw error;
    return retryDeadlock(run, attempt + 1);
  }
}

const isDeadlock = (error: unknown): boolean =>
  (error as { code?: string }).code === '40P01' ||
  (error instanceof Prisma.PrismaClientKnownRequestError &&
    (error.code === 'P2034' || JSON.stringify(error.meta ?? {}).includes('40P01')));

/**
 * Waits for concurrent sign-ins, requests for subscriptions, and changes of appointments, their messages and
 * subscriptions, which lock their own rows before the patient's; then locks the patients in the order of their ids, as a
 * merge the other way round does.
 * @throws `not_found`
 */
async function lockBoth(tx: Tx, ctx: Context, ids: string[]): Promise<void> {
  const { tenantId } = ctx;
  const inOrder = [...ids].sort();
  const patients = await tx.patient.findMany({ where: { tenantId, id: { in: ids } }, select: { email: true } });
  const emails = patients.flatMap(({ email }) => email ?? []).sort();
  for (const person of [...inOrder, ...emails]) await lockPerson(tx, `${tenantId}:${person}`);
  for (const id of inOrder) await lockSubscriptions(tx, ctx, id);
  for (const [table, key] of LOCKED_FIRST)
    await query(
      tx,
      Prisma.sql`select 1 from ${Prisma.raw(table)} where tenant_id = ${tenantId}::uuid
        and patient_id = any(${inOrder}::uuid[]) order by ${Prisma.raw(key)} for no key update`,
    );
  for (const id of inOrder) await lockPatient(ctx, tx, id);
}

const LOCKED_FIRST = [
  ['one_time_codes', 'id'],
  ['patient_sign_ins', 'patient_id'],
  ['appointments', 'id'],
  ['visit_messages', 'id'],
  ['subscriptions', 'id'],
] as const;

/** What is unique in the clinic, and becomes the patient's. */
const releasedBy = (take: MergeField[]) => ({
  ...(take.includes('email') && { email: null, emailVerified: false }),
  ...(take.includes('external_id') && { externalId: null }),
});

function assertAsPreviewed(input: MergePatientsInput, patient: PatientView, other: PatientView): void {
  if (input.updated_at === patient.updated_at && input.other_updated_at === other.updated_at) return;
  throw apiError('conflict', 'One of the two records was changed since they were compared. Compare them again.');
}

type Pair = { id: string; otherId: string };

/**
 * Ends the other record's links and invitations; archiving it ends its sessions. Where only that one had a sign-in, what
 * began one for the patient ends too: staff, who check the identity, invite them again. Otherwise an application could
 * have a person merged into a record that it had invited itself to, or invite itself later.
 */
async function endAccess(tx: Tx, ctx: Context, { id, otherId }: Pair): Promise<void> {
  const { tenantId } = ctx;
  const own = { tenantId, patientId: otherId };
  const now = ctx.clock.now();
  const ended = { endedAt: now, token: null };
  await tx.checkoutLink.updateMany({ where: { ...own, endedAt: null, completedAt: null }, data: ended });
  await tx.manageLink.updateMany({ where: { ...own, endedAt: null }, data: ended });
  const unanswered = { answeredAt: null, endedAt: null };
  await tx.sentInvitation.updateMany({ where: { ...own, ...unanswered }, data: { endedAt: now } });
  const rows = await tx.patient.findMany({
    where: { tenantId, id: { in: [id, otherId] } },
    select: {
      id: true,
      status: true,
      canSignIn: true,
      signedInBefore: true,
      signIn: { select: { confirmedAt: true } },
    },
  });
  const patient = rows.find((row) => row.id === id)!;
  const other = rows.find((row) => row.id === otherId)!;
  if (patient.canSignIn || !(other.canSignIn || other.signedInBefore || other.signIn?.confirmedAt)) return;
  const owner = { tenantId, patientId: id };
  await endPendingSignIns(tx, ctx, id);
  await tx.signUpAttempt.updateMany({ where: owner, data: { patientId: null } });
  await tx.sentInvitation.updateMany({ where: { ...owner, ...unanswered }, data: { endedAt: now } });
  await tx.patientSignIn.deleteMany({ where: owner });
  await tx.patient.update({
    where: { tenantId_id: { tenantId, id } },
    data: { signedInBefore: true, ...(patient.status === 'invited' && { status: 'active' }) },
  });
}

/** Messages that either record did not want remain unwanted, also if the other one allowed them later. */
async function keepStops(tx: Tx, ctx: Context, { id, otherId }: Pair): Promise<void> {
  const { tenantId } = ctx;
  for (const channel of ['email', 'sms'] as const) {
    const last = await Promise.all([id, otherId].map((patientId) => lastChoice(tx, { tenantId, patientId, channel })));
    const stop = last.find((choice) => choice?.state === 'stopped');
    if (!stop || last.every((choice) => !choice || choice.state === 'stopped')) continue;
    const { because, sender, madeBy } = stop;
    const at = ctx.clock.now();
    await tx.messageChoice.create({
      data: { id: newId(at), tenantId, patientId: id, channel, state: 'stopped', because, sender, madeBy, at },
    });
  }
}

/** Records that were merged into the other one before name the patient, too. */
async function redirectMerged(tx: Tx, ctx: Context, from: string, to: string): Promise<void> {
  const { tenantId } = ctx;
  const earlier = await tx.patient.updateManyAndReturn({
    where: { tenantId, mergedInto: from },
    data: { mergedInto: to, updatedAt: ctx.clock.now() },
    select: { id: true },
  });
  for (const { id } of earlier)
    await record(tx, ctx, {
      action: 'patients.update',
      object: { type: 'Patient', id },
      patientId: id,
      details: { changed: ['merged_into'], merged_into: to },
      event: 'patient.updated',
      payload: await getPatientView(tx, ctx, id),
    });
}

type Values = { patient: PatientView; other: PatientView; take: MergeField[] };

/** Takes the chosen values, and adds the other record's phones, addresses and tags. */
async function writeValues(tx: Tx, ctx: Context, values: Values, today: string): Promise<void> {
  const { patient, other, take } = values;
  const taken = Object.fromEntries(
    take.filter((field) => field !== 'phone_number').map((field) => [field, other[field]]),
  );
  const tags = [...new Set([...patient.tag_list, ...other.tag_list])];
  const phones = phonesOf(values);
  const addresses = newAddresses(patient, other);
  const input: UpdatePatientInput = {
    id: patient.id,
    ...(taken as Partial<UpdatePatientInput>),
    ...(tags.length > patient.tag_list.length && { tag_list: tags }),
    ...(phones.length > 0 && { phones_attributes: phones }),
    ...(addresses.length > 0 && { addresses_attributes: addresses }),
  };
  if (Object.keys(input).length > 1) await writeUpdate(tx, ctx, input, today, other.birth_date);
}

function phonesOf({ patient, other, take }: Values): NonNullable<UpdatePatientInput['phones_attributes']> {
  const isPrimary = (number: string) => take.includes('phone_number') && number === other.phone_number;
  const own = patient.phones.flatMap(({ id, number, primary }) =>
    isPrimary(number) && !primary ? [{ id, primary: true, active: true }] : [],
  );
  const added = newPhones(patient, other).map(({ number, label, active }) => ({
    ...{ number, label, active },
    primary: isPrimary(number),
  }));
  return [...own, ...added];
}

/**
 * Job: moves rows that a request stored for the merged record while the records were being merged. The patient is the
 * one who has the record now.
 */
export async function moveLateRows(services: Services, { tenantId, patientId }: Jobs['move_late_rows']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'move_late_rows');
  await ctx.db.$transaction(async (tx) => {
    const merged = await tx.patient.findFirst({ where: { tenantId, id: patientId }, select: { mergedInto: true } });
    if (!merged?.mergedInto) return;
    await lockBoth(tx, ctx, [patientId, merged.mergedInto]);
    await moveRows(tx, ctx, patientId, merged.mergedInto);
  });
}
