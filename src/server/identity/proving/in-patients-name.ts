import { type Context, contextFor } from '../../core/context.ts';

/** The same request, from now on in the patient's name: events and audit entries stand under it. */
export const inPatientsName = (ctx: Context, patientId: string, clientId: string): Context =>
  contextFor(
    ctx,
    { kind: 'patient', tenantId: ctx.tenantId, patientId, clientId, impersonatedBy: null },
    { requestId: ctx.requestId, ip: ctx.ip, userAgent: ctx.userAgent },
  );
