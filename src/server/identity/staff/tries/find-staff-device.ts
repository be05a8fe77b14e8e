import { NO_TENANT } from '#server/core/ids.ts';
import type { Services } from '../../../core/context.ts';
import { deviceHash } from '../../proving/known-device.ts';

/**
 * Which of a browser's secrets is known to the account of that e-mail, at one of its clinics. What is asked is the same
 * for an e-mail that works for none.
 */
export async function findStaffDevice(
  { database, clock }: Services,
  { email, tenants, secrets }: { email: string; tenants: string[]; secrets: string[] },
): Promise<string | null> {
  if (secrets.length === 0) return null;
  const byHash = new Map(secrets.map((secret) => [deviceHash(secret), secret]));
  for (const tenantId of tenants.length > 0 ? tenants : [NO_TENANT]) {
    const found = await database.forTenant(tenantId).knownDevice.findFirst({
      where: {
        tenantId,
        hash: { in: [...byHash.keys()] },
        expiresAt: { gt: clock.now() },
        staffUser: { email, disabledAt: null },
      },
      select: { hash: true },
    });
    if (found) return byHash.get(found.hash)!;
  }
  return null;
}
