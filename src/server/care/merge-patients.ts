import { isDeepStrictEqual } from 'node:util';
import type { MergeField, MergePatientsInput } from '#contract/merge-patients.ts';
import type { PatientView, UpdatePatientInput } from '#contract/patients.ts';
import { requireStaff } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { lockPerson } from '#server/core/lock-person.ts';
import { record } from '#server/core/record.ts';
import {
  archivePatient,
  getPatientView,
  lockPatient,
  rethrowUniqueViolation,
  tenantToday,
  writeUpdate,
} from '#server/patients/index.ts';
import { mergeCustomers } from './merge-customers.ts';
import { moveRows } from './move-rows.ts';
import { assertTwo, findObstacles, isEmpty } from './preview-merge.ts';

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
  const today = await tenantToday(ctx);
  const write = ctx.db.$transaction(async (tx) => {
    await lockBoth(tx, ctx, [id, otherId]);
    const patient = await getPatientView(tx, ctx, id, today);
    const other = await getPatientView(tx, ctx, otherId, today);
    if (other.merged_into === id) return patient;
    assertAsPreviewed(input, patient, other);
    const { obstacles, accountsSubscribed } = await findObstacles(tx, ctx, patient, other);
    if (obstacles.length > 0) throw apiError('conflict', obstacles.map(({ detail }) => detail).join(' '));

    const take = input.take.filter((field) => !isEmpty(other, field));
    await endAccess(tx, ctx, patient, other);
    await moveRows(tx, ctx, otherId, id);
    await mergeCustomers(tx, ctx, { id, otherId }, { accountsSubscribed });
    await tx.patient.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id: otherId } },
      data: { mergedInto: id, ...releasedBy(take) },
    });
    await archivePatient(tx, ctx, otherId, { merged_into: id });
    await redirectMerged(tx, ctx, otherId, id);
    await writeValues(tx, ctx, { patient, other, take }, today);
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
  });
  return write.catch(rethrowUniqueViolation);
}

/**
 * Waits for concurrent sign-ins, and for changes of appointments and subscriptions, which lock their own row before the
 * patient's; then locks the patients in the order of their ids, as a merge the other way round does.
 * @throws `not_found`
 */
async function lockBoth(tx: Tx, ctx: Context, ids: string[]): Promise<void> {
  const { tenantId } = ctx;
  const inOrder = [...ids].sort();
  for (const id of inOrder) await lockPerson(tx, `${tenantId}:${id}`);
  const patients = await tx.patient.findMany({ where: { tenantId, id: { in: ids } }, select: { email: true } });
  for (const email of patients.flatMap(({ email }) => email ?? []).sort()) await lockPerson(tx, `${tenantId}:${email}`);
  await tx.$queryRaw`
    select 1 from patient_sign_ins where tenant_id = ${tenantId}::uuid and patient_id = any(${inOrder}::uuid[])
    order by patient_id for update`;
  await tx.$queryRaw`
    select 1 from appointments where tenant_id = ${tenantId}::uuid and patient_id = any(${inOrder}::uuid[])
    order by id for update`;
  await tx.$queryRaw`
    select 1 from subscriptions where tenant_id = ${tenantId}::uuid and patient_id = any(${inOrder}::uuid[])
    order by id for update`;
  for (const id of inOrder) await lockPatient(ctx, tx, id);
}

/** What is unique in the clinic, and becomes the patient's. */
const releasedBy = (take: MergeField[]) => ({
  ...(take.includes('email') && { email: null, emailVerified: false }),
  ...(take.includes('external_id') && { externalId: null }),
});

function assertAsPreviewed(input: MergePatientsInput, patient: PatientView, other: PatientView): void {
  if (input.updated_at === patient.updated_at && input.other_updated_at === other.updated_at) return;
  throw apiError('conflict', 'One of the two records was changed since they were compared. Compare them again.');
}

/** Ends the other record's links and invitations; archiving it ends its sessions. */
async function endAccess(tx: Tx, ctx: Context, patient: PatientView, other: PatientView): Promise<void> {
  const own = { tenantId: ctx.tenantId, patientId: other.id };
  const ended = { endedAt: ctx.clock.now(), token: null };
  await tx.checkoutLink.updateMany({ where: { ...own, endedAt: null, completedAt: null }, data: ended });
  await tx.manageLink.updateMany({ where: { ...own, endedAt: null }, data: ended });
  await tx.sentInvitation.updateMany({
    where: { ...own, answeredAt: null, endedAt: null },
    data: { endedAt: ctx.clock.now() },
  });
  // Its row remains, so that its number stays reserved for the patient.
  const hadSignIn = await tx.patientSignIn.count({ where: { ...own, confirmedAt: { not: null } } });
  // By changing the address and inviting, an application could take over the account.
  if (hadSignIn > 0 && !patient.can_sign_in)
    await tx.patient.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id: patient.id } },
      data: { signedInBefore: true, updatedAt: new Date(patient.updated_at) },
    });
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
      details: { changed: ['merged_into'] },
      event: 'patient.updated',
      payload: await getPatientView(tx, ctx, id),
    });
}

const MAX_ROWS = 20;
const MAX_TAGS = 100;
type Values = { patient: PatientView; other: PatientView; take: MergeField[] };

/** Adds phones, addresses and tags of the other record, and takes the chosen values. */
async function writeValues(tx: Tx, ctx: Context, values: Values, today: string): Promise<void> {
  const { patient, other, take } = values;
  const taken = Object.fromEntries(
    take.filter((field) => field !== 'phone_number').map((field) => [field, other[field]]),
  );
  const tags = [...new Set([...patient.tag_list, ...other.tag_list])].slice(0, MAX_TAGS);
  const phones = phonesOf(values);
  const addresses = addressesOf(values);
  const input: UpdatePatientInput = {
    id: patient.id,
    ...(taken as Partial<UpdatePatientInput>),
    ...(tags.length > patient.tag_list.length && { tag_list: tags }),
    ...(phones.length > 0 && { phones_attributes: phones }),
    ...(addresses.length > 0 && { addresses_attributes: addresses }),
  };
  if (Object.keys(input).length > 1) await writeUpdate(tx, ctx, input, today);
}

function phonesOf({ patient, other, take }: Values): NonNullable<UpdatePatientInput['phones_attributes']> {
  const isPrimary = (number: string) => take.includes('phone_number') && number === other.phone_number;
  const own = patient.phones.flatMap(({ id, number, primary }) =>
    isPrimary(number) && !primary ? [{ id, primary: true, active: true }] : [],
  );
  const numbers = patient.phones.map(({ number }) => number);
  const added = other.phones
    .filter(({ number }) => !numbers.includes(number))
    .sort((a, b) => Number(b.primary) - Number(a.primary))
    .slice(0, MAX_ROWS - numbers.length)
    .map(({ number, label, active }) => ({ number, label, active, ...(isPrimary(number) && { primary: true }) }));
  return [...own, ...added];
}

function addressesOf({ patient, other }: Values): NonNullable<UpdatePatientInput['addresses_attributes']> {
  const linesOf = ({ id: _, primary: __, active: ___, label: ____, ...lines }: PatientView['addresses'][number]) =>
    lines;
  return other.addresses
    .filter((address) => !patient.addresses.some((own) => isDeepStrictEqual(linesOf(own), linesOf(address))))
    .slice(0, MAX_ROWS - patient.addresses.length)
    .map((address) => ({ ...linesOf(address), label: address.label, active: address.active }));
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
