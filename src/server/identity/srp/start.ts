import type { Wire } from '#sdk/protocol/endpoints.ts';
import { fromHex, toBytes, toHex, toInteger } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { MINUTE, SECOND } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import type { Caller } from '../caller.ts';
import { laneOfTry } from '../closing/in-a-row.ts';
import { refuseClosed } from '../closing/tell-patient.ts';
import { personKey } from '../codes/person-key.ts';
import { deviceHash } from '../devices/known-device.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { refuseTooMany } from '../refuse-too-many.ts';
import { refuseWhileBlocked, tryKeys } from './failures.ts';
import { findRegistration } from './find-registration.ts';
import { keepStep } from './steps.ts';
import { offer } from './suite.ts';

const HANDSHAKE_LIFETIME = 2 * MINUTE;
const PER_MINUTE = 300;

/** Between the halves; numbers as hex. `email` was typed, `device` is the hash of a known one. */
export type Handshake = Record<'identity' | 'salt' | 'v' | 'b' | 'A' | 'B' | 'email', string> & {
  device: string | null;
};

/**
 * The first half of proving a password, alike for somebody unknown. The second counts as a try in the lane that the first
 * came in: of its device, or of its source.
 * Errors: rate_limited, sign_in_closed.
 */
export async function startSrp(
  services: Services,
  caller: Caller,
  { client_id, email, A, device }: Inputs['srpStart'],
): Promise<Wire['srpStart']['answer']> {
  const { id: clientId, ctx } = await findPublicClient(services, client_id, caller, 'credentials');
  refuseTooMany(ctx, 'srp-start', caller, PER_MINUTE);
  const presented = deviceHash(device ?? '');
  const keys = tryKeys(ctx, personKey(ctx, email), { ip: caller.ip, device: presented });
  const found = await findRegistration(ctx, email, { keys, device: presented });
  const { patientId, identity, salt, v, kdf, tries } = found;
  const lane = laneOfTry(keys, tries, ctx.clock.now());
  if (!lane) return refuseClosed(ctx, { row: keys.strangersInRow, email, patientId, clientId }, tries.toldAt);
  refuseWhileBlocked(ctx, tries.isKnown ? tries.deviceBlockedUntil : tries.sourceBlockedUntil);
  const { b, B } = await offer(v);
  const hex = (number: bigint) => toHex(toBytes(number, SRP_GROUP.byteLength));
  const givenA = hex(toInteger(fromHex(A, SRP_GROUP.byteLength)));
  const state: Handshake = {
    ...{ identity, salt, v: hex(v), b: toHex(toBytes(b)), A: givenA, B: hex(B) },
    email,
    device: tries.isKnown ? presented : null,
  };
  const step = { patientId, clientId, state, lane, lifetimeMs: HANDSHAKE_LIFETIME };
  const handshake = await keepStep(ctx.db, ctx, 'srp', step);
  return { handshake, identity, salt, B: hex(B), kdf, expires_in: HANDSHAKE_LIFETIME / SECOND };
}
