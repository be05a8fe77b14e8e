import type { Wire } from '#sdk/protocol/endpoints.ts';
import { fromHex, toBytes, toHex, toInteger } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { MINUTE, SECOND } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import type { Caller } from '../caller.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { refuseTooMany } from '../refuse-too-many.ts';
import { failureKey, refuseWhileBlocked } from './failures.ts';
import { findRegistration } from './find-registration.ts';
import { keepStep } from './steps.ts';
import { offer } from './suite.ts';

const HANDSHAKE_LIFETIME = 2 * MINUTE;
const PER_MINUTE = 300;

/** Between the halves; numbers as hex. */
export type Handshake = Record<'identity' | 'salt' | 'v' | 'b' | 'A' | 'B', string>;

/** The first half of proving a password, alike for somebody unknown. Errors: rate_limited. */
export async function startSrp(
  services: Services,
  caller: Caller,
  { client_id, email, A }: Inputs['srpStart'],
): Promise<Wire['srpStart']['answer']> {
  const { id: clientId, ctx } = await findPublicClient(services, client_id, caller, 'credentials');
  refuseTooMany(ctx, 'srp-start', caller, PER_MINUTE);
  // The second half counts as a try where the first came from.
  const key = failureKey(ctx, email, caller.ip);
  const { patientId, identity, salt, v, kdf, blockedUntil } = await findRegistration(ctx, email, key);
  refuseWhileBlocked(ctx, blockedUntil);
  const { b, B } = await offer(v);
  const hex = (number: bigint) => toHex(toBytes(number, SRP_GROUP.byteLength));
  const givenA = hex(toInteger(fromHex(A, SRP_GROUP.byteLength)));
  const state: Handshake = { identity, salt, v: hex(v), b: toHex(toBytes(b)), A: givenA, B: hex(B) };
  const handshake = await keepStep(ctx.db, ctx, 'srp', {
    patientId,
    clientId,
    state,
    failureKey: key,
    lifetimeMs: HANDSHAKE_LIFETIME,
  });
  return { handshake, identity, salt, B: hex(B), kdf, expires_in: HANDSHAKE_LIFETIME / SECOND };
}
