import type { Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';

/** For the service's own use: the tenant's patient with that e-mail in any case, archived or not. */
export const findPatientByEmail = (ctx: Pick<Context, 'db' | 'tenantId'>, email: string): Promise<Patient | null> =>
  ctx.db.patient.findFirst({ where: { tenantId: ctx.tenantId, email: email.trim().toLowerCase() } });
