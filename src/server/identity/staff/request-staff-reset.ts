import type { Services } from '../../core/context.ts';
import { sourceOf } from '../../core/ip-address.ts';
import { enqueue, type Jobs } from '../../core/jobs.ts';
import { assertRateLimit } from '../../core/rate-limiter.ts';
import type { ProofOfWork } from '../verification/codes/count-send.ts';
import { countSend } from '../verification/codes/count-send.ts';
import { lockPerson, staffRoute } from '../verification/person.ts';
import { findStaffDevice, portalContext, staffAddress } from './lockout/portal-context.ts';

const BOUND_TO = 'jobs/send_staff_reset';

type StaffResetInput = {
  email: string;
  source: string;
  /** Secrets of all known devices that the browser holds, for any account. */
  devices: string[];
  proof_of_work?: ProofOfWork | undefined;
};

/**
 * Requests a password reset for the portal. It is rate-limited like patients' codes, by person and source and equally
 * for any address. It only queues an encrypted job, so neither the response nor its time reveals whether the address
 * has an account.
 * @throws `rate_limited`, `proof_of_work_required`
 */
export async function requestStaffReset(services: Services, input: StaffResetInput): Promise<void> {
  const email = input.email.toLowerCase();
  const { source: ip, devices: secrets } = input;
  assertRateLimit(services, { name: 'staff_resets', key: [sourceOf(ip)] });
  const tenants = await services.database.tenantsOf(staffRoute(email));
  const isKnown = (await findStaffDevice(services, { email, tenants, secrets })) !== null;
  const portal = portalContext(services);
  const address = staffAddress(email);
  const job: Jobs['send_staff_reset'] = {
    sealed: Buffer.from(services.cipher.seal(email, BOUND_TO)).toString('base64'),
  };
  await portal.db.$transaction(async (tx) => {
    await lockPerson(tx, `${portal.tenantId}:${address}`);
    await countSend(tx, portal, { address, purpose: 'staff_reset', caller: { ip }, input, isKnown });
    await enqueue(tx, 'send_staff_reset', job, { maxAttempts: 6 });
  });
}

export const openStaffReset = ({ cipher }: Services, { sealed }: Jobs['send_staff_reset']): string =>
  cipher.open(Buffer.from(sealed, 'base64'), BOUND_TO);
