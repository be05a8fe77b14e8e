import type { Services } from '../../../core/context.ts';
import { Prisma } from '../../../core/db.ts';
import { tenantOfToken } from '../../../core/ids.ts';
import { enqueue } from '../../../core/jobs.ts';
import { FAILURE_POLICY } from '../../../core/rate-limits.ts';
import {
  type CountedAttempt,
  clearCounters,
  countAttemptSql,
  countedSql,
  failureKeys,
  isNotified,
  lockedOut,
  notifyOfLockout,
  readAttempt,
  rejectUncounted,
  uncountAttempt,
} from '../../verification/failures.ts';
import { deviceHash } from '../../verification/known-device.ts';
import { portalContext, staffPerson } from './portal-context.ts';

const BOUND_TO = 'jobs/tell_staff_of_closing';

/** An attempt that was counted as wrong in advance. */
export type StaffAttempt = {
  /** The password was right: removes the attempt from the counters. */
  recordSuccess(): Promise<void>;
  /**
   * The password was wrong. The last allowed attempt in a row locks out unknown devices, or removes the known device.
   */
  recordFailure(): Promise<void>;
};
/** `isOneOfMany`: the email works at several clinics, each with its own password. */
type AttemptInput = { email: string; ip: string; device: string | null; isOneOfMany: boolean };

/**
 * Counts a portal password attempt before it is checked: by known device or else by source, and in a row over all
 * unknown devices. Works alike for an email without an account.
 * @throws `rate_limited`, `sign_in_closed`
 */
export async function beginStaffAttempt(
  services: Services,
  { email, ip, device, isOneOfMany }: AttemptInput,
): Promise<StaffAttempt> {
  const portal = portalContext(services);
  const { db, tenantId } = portal;
  const now = portal.clock.now();
  const keys = failureKeys(portal, staffPerson(portal, email), { ip, device: device && deviceHash(device) });
  const notify = () =>
    notifyOfLockout(portal, keys.unknownDevicesInRow, (tx) => enqueueNotification(services, tx, email));
  const { counters, notifiedAt } = await readAttempt(portal, keys, device !== null);
  const rejectLockedOut = async (): Promise<never> => {
    if (!isNotified(portal, notifiedAt)) await notify();
    throw lockedOut();
  };
  if (!counters) return rejectLockedOut();
  const attempt = Prisma.sql`(values (${counters.wait}::text, ${counters.row}::text)) as attempt (wait, "row")`;
  const count = Prisma.sql`with ${countAttemptSql(portal, now, attempt)} select ${countedSql}`;
  const [counted] = await db.$queryRaw<CountedAttempt[]>(count);
  if (!counted?.isCounted) return rejectUncounted(portal, counters.wait);
  if (counters.row !== null && counted.inRow === null) return rejectLockedOut();
  return {
    recordSuccess: () => (isOneOfMany ? uncountAttempt(portal, counters) : clearCounters(portal, counters)),
    async recordFailure() {
      if (counted.inRow !== FAILURE_POLICY.maxInRow) return;
      if (!device) return notify();
      const owner = tenantOfToken(device);
      if (!owner) throw new Error('a known device has a tenant');
      await services.database.forTenant(owner).knownDevice.deleteMany({
        where: { tenantId: owner, hash: deviceHash(device) },
      });
      await db.signInFailure.deleteMany({ where: { tenantId, key: keys.deviceInRow } });
    },
  };
}

/** A job prepares the email, so that the request does not reveal whether the address has an account. */
async function enqueueNotification(
  services: Services,
  tx: Parameters<typeof enqueue>[0],
  email: string,
): Promise<void> {
  const sealed = Buffer.from(services.cipher.seal(email, BOUND_TO)).toString('base64');
  await enqueue(tx, 'tell_staff_of_closing', { sealed }, { maxAttempts: 6 });
}

export const openLockoutJob = ({ cipher }: Services, { sealed }: { sealed: string }): string =>
  cipher.open(Buffer.from(sealed, 'base64'), BOUND_TO);
