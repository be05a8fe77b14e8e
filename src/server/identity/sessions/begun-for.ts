import type { Context } from '../../core/context.ts';
import { keyedHash } from '../../core/keyed-hash.ts';
import type { Caller } from '../proving/caller.ts';

export type Beginning = {
  patientId: string;
  clientId: string;
  caller: Caller;
  /** The secret of a device on which this patient has signed in before, as the caller has it. */
  device?: string | undefined;
};

/** The request that begins a session, told by its Idempotency-Key; null without one. */
export function begunFor(ctx: Context, { patientId, clientId, caller }: Beginning): string | null {
  const key = caller.idempotencyKey;
  return key && keyedHash(ctx, 'idempotency', patientId, clientId, key).toString('hex');
}
