import { type Context, contextFor, type Services } from '../../core/context.ts';
import { tenantOfToken } from '../../core/ids.ts';
import { sourceOf } from '../../core/ip-address.ts';
import { assertRateLimit } from '../../core/rate-limiter.ts';
import type { RateLimitName } from '../../core/rate-limits.ts';
import type { Caller } from './caller.ts';

/** Returns the context of the tenant that a challenge, handshake or continuation names; null if it names none. */
export function contextOfToken(services: Services, caller: Caller, token: string): Context | null {
  assertRateLimit(services, { name: 'steps', key: [sourceOf(caller.ip)] });
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

/** Counts one attempt of the source at this tenant, over all accounts. @throws `rate_limited` */
export function assertSourceLimit(
  ctx: Context,
  name: RateLimitName,
  { ip }: Pick<Caller, 'ip'>,
  ...more: string[]
): void {
  assertRateLimit(ctx, { name, key: [ctx.tenantId, sourceOf(ip), ...more] });
}
