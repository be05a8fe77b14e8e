import { NO_TENANT } from '#server/core/ids.ts';
import type { Services } from '../../../core/context.ts';
import { deviceHash } from '../../verification/known-device.ts';

/**
 * Finds the device secret that is known to the account of this email, at one of its clinics. Runs the same queries for
 * an email without an account.
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
