import type { Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { isId } from '#server/core/ids.ts';

/** For the service's own use (token exchange): the tenant's patient with that id, archived or not. Any text may be asked for. */
export const findPatientById = async (ctx: Pick<Context, 'db' | 'tenantId'>, id: string): Promise<Patient | null> =>
  isId(id) ? ctx.db.patient.findFirst({ where: { tenantId: ctx.tenantId, id: id.toLowerCase() } }) : null;
