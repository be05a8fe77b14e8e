import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

/** Serializes joining, admitting and ending a call. Taken before any of its seats, which prevents deadlocks. */
export const lockCall = (
  tx: Pick<Tx, '$queryRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  { id }: Pick<Appointment, 'id'>,
): Promise<unknown> =>
  tx.$queryRaw`
    select 1 from visit_calls where tenant_id = ${tenantId}::uuid and appointment_id = ${id}::uuid for update`;
