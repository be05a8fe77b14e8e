import type { Context } from '../../core/context.ts';
import { invalid } from '../../core/errors.ts';
import type { Caller } from '../proving/caller.ts';
import { refuseTooMany } from '../proving/refuse-too-many.ts';
import { inLine } from './line.ts';
import type { Registration } from './registration.ts';
import { verifierOf } from './verifier.ts';

/** Of one source; each costs a handful of stretchings. */
const PER_MINUTE = 20;
/** What people choose most where no rule keeps them from it. */
const COMMONEST = ['123456', 'password'];

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
 * any case, so that the time tells nothing. Errors: invalid_parameter at the verifier, rate_limited, service_busy.
 */
export async function refuseWeak(
  ctx: Context,
  caller: Pick<Caller, 'ip'>,
  srp: Registration,
  { email, temporary, line }: Whose,
): Promise<void> {
  refuseTooMany(ctx, `registration/${line}`, caller, PER_MINUTE);
  const candidates = ['', email, email.split('@')[0]!, ...COMMONEST, ...(temporary ? [temporary] : [])];
  const isWeak = await inLine(ctx.identity.registrations[line], async () => {
    let found = false;
    for (const candidate of candidates)
      if (BigInt(`0x${await verifierOf(ctx, candidate, srp)}`) === BigInt(`0x${srp.verifier}`)) found = true;
    return found;
  });
  if (isWeak) throw invalid('srp/verifier', 'Choose another password: this is one of the first that others would try.');
}
