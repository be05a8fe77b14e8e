import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { notFound } from '../../core/errors.ts';
import { withLiveSecrets } from './present-application.ts';

/** Reads a server application of the tenant and locks it, so that concurrent changes are serialized. */
export async function lockApplication(tx: Tx, ctx: Context, id: string) {
  await tx.$queryRaw`select id from applications where id = ${id}::uuid for update`;
  const row = await tx.application.findFirst({
    where: { tenantId: ctx.tenantId, id, kind: 'server' },
    include: withLiveSecrets,
  });
  if (!row) throw notFound('application');
  return row;
}
