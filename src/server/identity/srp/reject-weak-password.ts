import type { Context } from '../../core/context.ts';
import { invalidParameter } from '../../core/errors.ts';
import type { Caller } from '../verification/caller.ts';
import { assertSourceLimit } from '../verification/request-context.ts';
import type { Registration } from './registration.ts';
import { verifierOf } from './verifier.ts';
import { runQueued } from './work-queue.ts';

/** The most common passwords where no rule prevents them. */
const COMMONEST = ['123456', 'password'];

type PasswordOwner = {
  email: string;
  /** Whether the caller has already verified control of an account. */
  queue: 'newcomers' | 'verified';
  /** Temporary password of the invitation that this password replaces. */
  temporary?: string | null;
};

/**
 * Rejects a new password that the service can recognize by its verifier: empty, the email or its local part, the most
 * common passwords, and an invitation's temporary password. All other rules are up to the client. Every candidate is
 * computed in any case, so that timing reveals nothing.
 * @throws `invalid_parameter` at the verifier, `rate_limited`, `service_busy`
 */
export async function rejectWeakPassword(
  ctx: Context,
  caller: Pick<Caller, 'ip'>,
  srp: Registration,
  { email, temporary, queue }: PasswordOwner,
): Promise<void> {
  assertSourceLimit(ctx, 'new_passwords', caller, queue);
  const [localPart = ''] = email.split('@');
  const candidates = ['', email, localPart, ...COMMONEST, ...(temporary ? [temporary] : [])];
  const isWeak = await runQueued(ctx.identity.registrations[queue], async () => {
    let isMatch = false;
    for (const candidate of candidates)
      if (BigInt(`0x${await verifierOf(ctx, candidate, srp)}`) === BigInt(`0x${srp.verifier}`)) isMatch = true;
    return isMatch;
  });
  if (isWeak) throw invalidParameter('srp/verifier', 'Choose another password: this one is too easy to guess.');
}
