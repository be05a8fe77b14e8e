import type { Context } from '../../core/context.ts';
import { invalid, tooMany } from '../../core/errors.ts';
import { perDatabase } from '../../core/per-database.ts';
import type { Caller } from '../proving/caller.ts';
import { refuseTooMany } from '../proving/refuse-too-many.ts';
import { createLine } from './line.ts';
import type { Registration } from './registration.ts';
import { verifierOf } from './verifier.ts';

/** Of one source; each costs a handful of stretchings. */
const PER_MINUTE = 20;
/** Of each line: registrations that are looked at a time, and those that may wait; others need the pool's threads too. */
const LINE = { abreast: 1, waiting: 20 };
const BUSY_SECONDS = 10;
/** What people choose most where no rule keeps them from it. */
const COMMONEST = ['123456', 'password'];

const newQueue = () => ({ line: createLine(LINE.abreast), waiting: 0 });
/** Who has shown something (a code, an invitation, the old password) never waits for who has merely typed an address. */
const queuesOf = perDatabase(() => ({ newcomers: newQueue(), proved: newQueue() }));

type Whose = {
  email: string;
  /** Whether they have proved to be somebody yet. */
  line: 'newcomers' | 'proved';
  /** Of the invitation that this password takes the place of. */
  temporary?: string | null;
};

/**
 * Refuses a new password that the service can find out although it never sees one: none at all, the e-mail or its name,
 * the commonest, and an invitation's temporary one. The rules beyond that are the client's. All candidates are tried in
 * any case, so that the time tells nothing. Errors: invalid_parameter at the verifier, rate_limited.
 */
export async function refuseWeak(
  ctx: Context,
  caller: Pick<Caller, 'ip'>,
  srp: Registration,
  { email, temporary, line }: Whose,
): Promise<void> {
  refuseTooMany(ctx, `registration/${line}`, caller, PER_MINUTE);
  const queue = queuesOf(ctx)[line];
  if (queue.waiting >= LINE.waiting) throw busy();
  queue.waiting += 1;
  try {
    const candidates = ['', email, email.split('@')[0]!, ...COMMONEST, ...(temporary ? [temporary] : [])];
    const isWeak = await queue.line(async () => {
      let found = false;
      for (const candidate of candidates)
        if (BigInt(`0x${await verifierOf(candidate, srp)}`) === BigInt(`0x${srp.verifier}`)) found = true;
      return found;
    });
    if (isWeak)
      throw invalid('srp/verifier', 'Choose another password: this is one of the first that others would try.');
  } finally {
    queue.waiting -= 1;
  }
}

const busy = () =>
  tooMany(`Many passwords are being set at the moment; try again in ${BUSY_SECONDS} seconds.`, BUSY_SECONDS);
