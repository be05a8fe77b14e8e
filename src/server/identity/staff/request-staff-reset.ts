import type { Services } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import { enqueue, type Jobs } from '../../core/jobs.ts';
import { attemptKey, attemptsOf, strictest } from '../attempts.ts';
import { sourceOf } from '../sessions/network-of.ts';

const PER_MINUTE = { address: 3, source: 20 };
const BOUND_TO = 'jobs/send_staff_reset';

type Asked = { email: string; source: string };

/**
 * Notes that somebody at this address has forgotten their password for the portal. It only queues the wish, encrypted
 * and without looking for anybody, so that neither the answer nor its time tells who works here. Error: rate_limited.
 */
export async function requestStaffReset(services: Services, asked: Asked): Promise<void> {
  const email = asked.email.toLowerCase();
  const attempts = attemptsOf(services);
  const state = strictest([
    attempts.take(attemptKey('staff-reset', email), PER_MINUTE.address),
    attempts.take(attemptKey('staff-reset-source', sourceOf(asked.source)), PER_MINUTE.source),
  ]);
  if (!state.allowed) throw refuse('rate_limited', `Too many tries; wait ${state.resetSeconds} seconds and try again.`);
  const sealed = services.cipher.seal(JSON.stringify({ email, source: asked.source }), BOUND_TO);
  const job: Jobs['send_staff_reset'] = { sealed: Buffer.from(sealed).toString('base64') };
  await enqueue(services.database.system, 'send_staff_reset', job, { maxAttempts: 6 });
}

export const openStaffReset = ({ cipher }: Services, { sealed }: Jobs['send_staff_reset']): Asked =>
  JSON.parse(cipher.open(Buffer.from(sealed, 'base64'), BOUND_TO));
