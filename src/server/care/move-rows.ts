import type { Context } from '#server/core/context.ts';
import { Prisma, query, type Tx } from '#server/core/db.ts';

/** Tables with the id of a patient whose rows move when two records are merged; a test says why the others do not. */
export const MOVED_TABLES = [
  'appointments',
  'slot_claims',
  'visit_calls',
  'visit_seats',
  'visit_messages',
  'subscriptions',
  'subscription_intents',
  'payments',
  'checkout_links',
  'manage_links',
  'tasks',
  'notes',
  'note_versions',
  'note_drafts',
  'message_choices',
] as const;

/** Also of the rows that the remaining patient has, where both may not have the same. */
const EXCEPTIONS: Partial<Record<(typeof MOVED_TABLES)[number], (to: string) => Prisma.Sql>> = {
  // A signal of an address that both have.
  message_choices: (to) => Prisma.sql`and not exists (select from message_choices own
    where own.tenant_id = r.tenant_id and own.patient_id = ${to}::uuid and own.signal_id = r.signal_id)`,
  // A staff user's unfinished notes about both: the other one stays until it expires.
  note_drafts: (to) => Prisma.sql`and not (r.target_type = 'patient' and exists (select from note_drafts own
    where own.tenant_id = r.tenant_id and own.staff_user_id = r.staff_user_id and own.target_type = r.target_type
      and own.target_id = ${to}::uuid))`,
};

/**
 * Gives the rows of one patient to another, in the caller's transaction. Upcoming appointments of both at one time may
 * overlap, as where staff confirm it.
 */
export async function moveRows(tx: Tx, { tenantId }: Pick<Context, 'tenantId'>, from: string, to: string) {
  const rows = (table: string) => Prisma.sql`${Prisma.raw(table)} r set patient_id = ${to}::uuid`;
  await query(
    tx,
    Prisma.sql`update slot_claims r set overlap_ok = true where r.tenant_id = ${tenantId}::uuid and r.patient_id = ${from}::uuid
      and exists (select from slot_claims own where own.tenant_id = r.tenant_id and own.patient_id = ${to}::uuid
        and own.start_at < r.end_at and own.end_at > r.start_at)`,
  );
  for (const table of MOVED_TABLES) {
    const where = Prisma.sql`where r.tenant_id = ${tenantId}::uuid and r.patient_id = ${from}::uuid`;
    await query(tx, Prisma.sql`update ${rows(table)} ${where} ${EXCEPTIONS[table]?.(to) ?? Prisma.empty}`);
  }
  // The draft of a new note about the patient is found by the patient.
  await tx.noteDraft.updateMany({
    where: { tenantId, patientId: to, targetType: 'patient', targetId: from },
    data: { targetId: to },
  });
}
