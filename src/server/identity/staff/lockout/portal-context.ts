import { NO_TENANT } from '#server/core/ids.ts';
import { type Context, contextFor, type Services } from '../../../core/context.ts';
import { deviceHash } from '../../verification/known-device.ts';
import { mailboxOf, personKey } from '../../verification/person.ts';

/**
 * Context for counting portal sign-in attempts and resets. An email may work for several clinics or none, which must
 * not be revealed, so the counters belong to no tenant.
 */
export const portalContext = (services: Services): Context =>
  contextFor(services, { kind: 'visitor', tenantId: NO_TENANT });

/** The key of an email's owner in counters; separate from that of patients. */
export const staffAddress = (email: string): string => `staff:${email}`;
export const staffPerson = (portal: Context, email: string): string => personKey(portal, staffAddress(email));
/** The key under which messages to the email are counted. */
export const staffMailbox = (portal: Context, email: string): string =>
  personKey(portal, mailboxOf(staffAddress(email)));

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
    const device = await database.forTenant(tenantId).knownDevice.findFirst({
      where: {
        tenantId,
        hash: { in: [...byHash.keys()] },
        expiresAt: { gt: clock.now() },
        staffUser: { email, disabledAt: null },
      },
      select: { hash: true },
    });
    if (device) return byHash.get(device.hash) ?? null;
  }
  return null;
}
