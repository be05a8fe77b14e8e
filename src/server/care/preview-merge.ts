import { isDeepStrictEqual } from 'node:util';
import {
  MERGE_FIELDS,
  type MergeField,
  type MergeObstacle,
  type MergePreviewView,
  type PreviewMergeInput,
} from '#contract/merge-patients.ts';
import type { PatientView } from '#contract/patients.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, query, type Tx } from '#server/core/db.ts';
import { invalidParameter } from '#server/core/errors.ts';
import { getPatientView, tenantToday } from '#server/patients/index.ts';
import { listLive } from './list-live.ts';
import { previewCustomers } from './merge-customers.ts';

const { sql } = Prisma;

/**
 * Returns what merging another record into a patient's would do, and why it cannot be done. For admins.
 * @throws `not_found`, and `invalid_parameter` for one record twice
 */
export async function previewMerge(ctx: Context, { id, other_id }: PreviewMergeInput): Promise<MergePreviewView> {
  requireStaff(ctx.actor, 'patients:merge');
  assertTwo({ id, other_id });
  for (const patientId of [id, other_id]) ctx.trail.patients.add(patientId);
  const today = await tenantToday(ctx);
  const patient = await getPatientView(ctx.db, ctx, id, today);
  const other = await getPatientView(ctx.db, ctx, other_id, today);
  const { obstacles, accountsSubscribed } = await findObstacles(ctx.db, ctx, patient, other);
  const [counts] = await query<MergePreviewView['moves'] & { overlapping: number }>(
    ctx.db,
    countsOf(ctx, id, other_id),
  );
  const { overlapping, ...moves } = counts!;
  return {
    patient,
    other,
    fields: MERGE_FIELDS.filter(
      (field) => !isEmpty(other, field) && !isDeepStrictEqual(patient[field], other[field]),
    ).map((field) => {
      const is_fixed = field === 'email' && patient.can_sign_in;
      return { field, takes_other: !is_fixed && isEmpty(patient, field), is_fixed };
    }),
    moves,
    overlapping,
    sign_in: patient.can_sign_in ? 'remains' : other.can_sign_in ? 'invite' : 'none',
    cards: await previewCustomers(ctx.db, ctx, { id, otherId: other_id }, { accountsSubscribed }),
    obstacles,
  };
}

/** @throws `invalid_parameter` */
export function assertTwo({ id, other_id }: PreviewMergeInput): void {
  if (id === other_id) throw invalidParameter('other_id', 'Choose two different records: this is the same one twice.');
}

/** True when the record has no value of the field. */
export function isEmpty(patient: PatientView, field: MergeField): boolean {
  const value = patient[field];
  if (value === null || value === '' || (field === 'administrative_gender' && value === 'unknown')) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The phones that only the other record has, its primary one first. */
export const newPhones = (patient: PatientView, other: PatientView): PatientView['phones'] =>
  primaryFirst(other.phones.filter(({ number }) => !patient.phones.some((own) => own.number === number)));

/** The addresses that only the other record has, its primary one first. */
export function newAddresses(patient: PatientView, other: PatientView) {
  const linesOf = ({ id: _, primary: __, active: ___, label: ____, ...lines }: PatientView['addresses'][number]) =>
    lines;
  return primaryFirst(other.addresses)
    .filter((address) => !patient.addresses.some((own) => isDeepStrictEqual(linesOf(own), linesOf(address))))
    .map((address) => ({ ...linesOf(address), label: address.label, active: address.active }));
}

const primaryFirst = <Row extends { primary: boolean }>(rows: Row[]): Row[] =>
  [...rows].sort((a, b) => Number(b.primary) - Number(a.primary));

const MAX_ROWS = 20;
const MAX_TAGS = 100;

/** True when the record would have more than it may have; nothing is left out silently. */
const isTooMuch = (patient: PatientView, other: PatientView): boolean =>
  patient.phones.length + newPhones(patient, other).length > MAX_ROWS ||
  patient.addresses.length + newAddresses(patient, other).length > MAX_ROWS ||
  new Set([...patient.tag_list, ...other.tag_list]).size > MAX_TAGS;

const DETAILS: Record<MergeObstacle, string> = {
  archived: 'One of the two is archived, or their care is ending. Bring it back from the archive first.',
  subscriptions:
    'Both have a subscription that has not ended. End one of them first, so that the patient is not charged twice.',
  too_much: `Together they have more than ${MAX_ROWS} phone numbers or addresses, or more than ${MAX_TAGS} tags. Remove some first.`,
  under_way: 'An appointment or a subscription of the other record is just being changed. Try again in a minute.',
};
const isArchived = ({ status, care_ending_at }: PatientView) => status === 'archived' || care_ending_at !== null;
/** The subscription is being created again with a promotion code. */
const isReplaced = ({ promotionCode }: Subscription) => promotionCode !== null;

/** Returns why the records cannot be merged, and the accounts in which the other one has a subscription. */
export async function findObstacles(
  db: Pick<Tx, 'appointment' | 'subscription' | 'subscriptionIntent'>,
  ctx: Context,
  patient: PatientView,
  other: PatientView,
): Promise<{ obstacles: MergePreviewView['obstacles']; accountsSubscribed: string[] }> {
  const own = await listLive(db, ctx, patient.id);
  const live = await listLive(db, ctx, other.id);
  const { subscriptions = [], intents = [], appointments = [] } = live ?? {};
  const subscribed = [...subscriptions, ...intents];
  const found: Record<MergeObstacle, boolean> = {
    archived: isArchived(patient) || isArchived(other),
    subscriptions: subscribed.length > 0 && own !== null && own.subscriptions.length + own.intents.length > 0,
    too_much: isTooMuch(patient, other),
    under_way:
      intents.length > 0 ||
      appointments.some(({ status, pendingChange }) => status === 'pending' || pendingChange !== null) ||
      subscriptions.some(isReplaced),
  };
  return {
    obstacles: (Object.keys(found) as MergeObstacle[])
      .filter((reason) => found[reason])
      .map((reason) => ({ reason, detail: DETAILS[reason] })),
    accountsSubscribed: [...new Set(subscribed.map(({ accountId }) => accountId))],
  };
}

/** Counts what the other record has. */
const countsOf = ({ tenantId, clock }: Context, id: string, otherId: string): Prisma.Sql => {
  const count = (table: string, more: Prisma.Sql = Prisma.empty) =>
    sql`(select count(*)::int from ${Prisma.raw(table)} r where r.tenant_id = ${tenantId}::uuid and r.patient_id = ${otherId}::uuid ${more})`;
  return sql`select ${count('appointments', sql`and r.status in ('scheduled', 'canceled', 'no_show')`)} as appointments,
    ${count('appointments', sql`and r.status = 'scheduled' and r.start_at > ${clock.now()}::timestamptz`)} as upcoming,
    ${count('notes', sql`and (r.body is not null or r.appointment_id is not null)`)} as notes, ${count('tasks')} as tasks,
    ${count('subscriptions')} as subscriptions, ${count('payments')} as payments,
    ${count(
      'slot_claims',
      sql`and exists (select from slot_claims own where own.tenant_id = r.tenant_id and own.patient_id = ${id}::uuid
        and own.start_at < r.end_at and own.end_at > r.start_at)`,
    )} as overlapping`;
};
