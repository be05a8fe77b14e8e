import { type Context, contextFor, type Services } from '../../core/context.ts';
import { tenantOfToken } from '../../core/ids.ts';
import { sourceOf } from '../../core/ip-address.ts';
import { assertRateLimit, limitKey } from '../../core/rate-limit.ts';
import type { Caller } from './caller.ts';

/** Invented tokens name invented tenants, and each tenant costs a database client. */
const PER_MINUTE = 600;

/** Returns the context of the tenant that a challenge, handshake or continuation names; null if it names none. */
export function contextOfToken(services: Services, caller: Caller, token: string): Context | null {
  assertRateLimit(services, limitKey('step', sourceOf(caller.ip)), PER_MINUTE);
  const tenantId = tenantOfToken(token);
  return tenantId ? contextFor(services, { kind: 'visitor', tenantId }, caller) : null;
}

/** Returns a context of the same request with the patient as actor, for events and audit entries. */
export const asPatient = (ctx: Context, patientId: string, clientId: string): Context =>
  contextFor(
    ctx,
    { kind: 'patient', tenantId: ctx.tenantId, patientId, clientId, impersonatedBy: null },
    { requestId: ctx.requestId, ip: ctx.ip, userAgent: ctx.userAgent },
  );

/**
 * Limits steps of one kind per source and minute, over all accounts.
 * @throws `rate_limited`
 */
export function assertWithinLimit(ctx: Context, step: string, { ip }: Pick<Caller, 'ip'>, perMinute: number): void {
  assertRateLimit(ctx, limitKey(step, ctx.tenantId, sourceOf(ip)), perMinute);
}
