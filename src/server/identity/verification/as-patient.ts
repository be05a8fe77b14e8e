import { type Context, contextFor } from '../../core/context.ts';

/** Returns a context of the same request with the patient as actor, for events and audit entries. */
export const asPatient = (ctx: Context, patientId: string, clientId: string): Context =>
  contextFor(
    ctx,
    { kind: 'patient', tenantId: ctx.tenantId, patientId, clientId, impersonatedBy: null },
    { requestId: ctx.requestId, ip: ctx.ip, userAgent: ctx.userAgent },
  );
