import { isIP } from 'node:net';
import type { ErrorCode } from '#contract/errors.ts';
import { authorOf } from './actor.ts';
import type { Context } from './context.ts';
import type { Entry } from './entries.ts';
import { newId } from './ids.ts';
import { familyOfAgent } from './user-agent.ts';

/** Somebody looked at something, or tried to. Ids and names of ours only, never values. */
export type Access = {
  /** The verb, as the audit log names it. */
  action: string;
  object: { type: string; id: string };
  /** Whose data it is: of a list, those whom it showed. */
  patients?: Iterable<string>;
  /** The code of the refusal, where it was one. */
  outcome?: ErrorCode;
  details?: Record<string, unknown>;
  /** Asked again by a page that shows it already. */
  shares?: boolean;
};

/** Who asks, from where and in whose name, as every entry says it. */
export function signature(ctx: Context) {
  const { actor, ip } = ctx;
  const author = authorOf(actor);
  const impersonator = actor.kind === 'patient' ? actor.impersonatedBy : null;
  return {
    // An impersonated call stands under both names: the application acted, on behalf of the patient.
    actor_type: impersonator ? 'Application' : author.type,
    actor_id: impersonator ?? author.id,
    on_behalf_of: impersonator ? author.id : null,
    application_id: actor.kind === 'application' || actor.kind === 'patient' ? actor.clientId : null,
    request_id: ctx.requestId,
    // The header of a proxy may hold anything.
    address: ip !== null && isIP(ip) !== 0 ? ip : null,
    user_agent: familyOfAgent(ctx.userAgent),
  };
}

function entryOf(
  ctx: Context,
  { action, object, patients = [], outcome, details = {}, shares = false }: Access,
): Entry {
  const ids = [...new Set(patients)];
  return {
    id: newId(ctx.clock.now()),
    action,
    object_type: object.type,
    object_id: object.id,
    patient_id: ids.length === 1 ? ids[0]! : null,
    patient_ids: ids.length > 1 ? ids : null,
    ...signature(ctx),
    outcome: outcome ?? null,
    details,
    shares,
  };
}

/** Leaves one entry, durable when this is done: nothing may leave before. Error: service_busy when it cannot be written. */
export const noteAccess = (ctx: Context, access: Access): Promise<void> =>
  ctx.entries.write(ctx.tenantId, entryOf(ctx, access));

/**
 * The same for a try that failed, for which nobody waits: how long an answer takes must not tell whether there is
 * anybody whom it could have been about.
 */
export function noteFailedTry(ctx: Context, access: Access & { outcome: ErrorCode }): void {
  // What could not be written stands in the service's own log.
  noteAccess(ctx, access).catch(() => undefined);
}
