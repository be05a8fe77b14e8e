import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { mayActFor } from '#server/patients/policy.ts';

/** What the API shows: a booking whose outcome is not known, or that came to nothing, is no appointment yet. */
export const SHOWN = ['scheduled', 'canceled', 'no_show'];

/**
 * What was begun at Acuity and has not ended here: a booking, a cancellation, or a move `to` an instant whose time is
 * claimed already. `unknown`: Acuity was asked and did not say what it did.
 */
export type PendingChange = { kind: 'book' | 'cancel' | 'move'; to?: string; unknown: boolean };
export const pendingChange = (row: Pick<Appointment, 'pendingChange'>): PendingChange | null =>
  row.pendingChange as PendingChange | null;

/** An appointment that the actor may see, or `not_found`. */
export async function loadAppointment(ctx: Context, id: string): Promise<Appointment & { quiet: boolean }> {
  const row = await ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, id, status: { in: SHOWN } },
    include: { patient: { select: { email: true } } },
  });
  if (!row || !mayActFor(ctx.actor, row.patientId)) throw notFound('appointment');
  const { patient, ...appointment } = row;
  return { ...appointment, quiet: patient.email === null };
}

/** The row, kept from others until the transaction ends. */
export async function lockAppointment(tx: Tx, tenantId: string, id: string): Promise<Appointment | null> {
  await tx.$queryRaw`select 1 from appointments where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`;
  return tx.appointment.findFirst({ where: { tenantId, id } });
}

export const videoUrl = (ctx: Pick<Context, 'config'>, videoToken: string): string =>
  `${ctx.config.videoBaseUrl}/${videoToken}`;
