import { isIP } from 'node:net';
import type { AuditAction } from '#contract/audit-actions.ts';
import type { ErrorCode } from '#contract/errors.ts';
import { authorOf } from './actor.ts';
import type { NewAuditEntry } from './audit-writer.ts';
import type { Context } from './context.ts';
import { newId } from './ids.ts';
import { familyOfAgent } from './user-agent.ts';

/** A read, or an attempt at one. Holds only ids and names of this service, never values. */
export type Access = {
  action: AuditAction;
  object: { type: string; id: string };
  /** The patients whose data it is; of a list, those that it showed. */
  patients?: Iterable<string>;
  /** The error code, if the call failed. */
  outcome?: ErrorCode;
  details?: Record<string, unknown>;
  /** An automatic refetch by a page that already shows the data. */
  shares?: boolean;
};

/** Returns the author, origin and impersonator of a call, as every audit entry stores them. */
export function auditCaller(ctx: Context) {
  const { actor, ip } = ctx;
  const author = authorOf(actor);
  const impersonator = actor.kind === 'patient' ? actor.impersonatedBy : null;
  return {
    // An impersonated call names both: the application acted on behalf of the patient.
    actor_type: impersonator ? 'Application' : author.type,
    actor_id: impersonator ?? author.id,
    on_behalf_of: impersonator ? author.id : null,
    application_id: actor.kind === 'application' || actor.kind === 'patient' ? actor.clientId : null,
    request_id: ctx.requestId,
    // A proxy's header may hold any text.
    address: ip !== null && isIP(ip) !== 0 ? ip : null,
    user_agent: familyOfAgent(ctx.userAgent),
  };
}

function entryOf(
  ctx: Context,
  { action, object, patients = [], outcome, details = {}, shares = false }: Access,
): NewAuditEntry {
  const ids = [...new Set(patients)];
  const [first = null] = ids;
  return {
    id: newId(ctx.clock.now()),
    action,
    object_type: object.type,
    object_id: object.id,
    patient_id: ids.length === 1 ? first : null,
    patient_ids: ids.length > 1 ? ids : null,
    ...auditCaller(ctx),
    outcome: outcome ?? null,
    details,
    shares,
  };
}

/** Writes one audit entry; await it before the response is sent. @throws `service_busy` when it cannot be written */
export const recordAccess = (ctx: Context, access: Access): Promise<void> =>
  ctx.auditWriter.write(ctx.tenantId, entryOf(ctx, access));

/**
 * Writes the entry of a failed attempt without waiting: the response time must not reveal whether the record exists.
 */
export function recordFailedAttempt(ctx: Context, access: Access & { outcome: ErrorCode }): void {
  // The service's log has the error of an entry that could not be written.
  recordAccess(ctx, access).catch(() => undefined);
}
