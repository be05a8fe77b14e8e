import { assertRateLimit, limitKey } from '../../core/assert-rate-limit.ts';
import { type Context, contextFor, type Services } from '../../core/context.ts';
import { tenantOfToken } from '../../core/ids.ts';
import { sourceOf } from '../../core/ip-address.ts';
import type { Caller } from './caller.ts';

/** Invented tokens name invented tenants, and each tenant costs a database client. */
const PER_MINUTE = 600;

/** Returns the context of the tenant that a challenge, handshake or continuation names; null if it names none. */
export function contextOfToken(services: Services, caller: Caller, token: string): Context | null {
  assertRateLimit(services, limitKey('step', sourceOf(caller.ip)), PER_MINUTE);
  const tenantId = tenantOfToken(token);
  return tenantId ? contextFor(services, { kind: 'visitor', tenantId }, caller) : null;
}
