import { isOnWebsite } from '#contract/websites.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { readAllowedOrigins } from './allowed-origins.ts';

/**
 * Validates that addresses lie on the clinic's own websites.
 * @throws `invalid_parameter` for each other address, with the field's name
 */
export async function assertOwnWebsites(
  { db, tenantId, config }: Context,
  addresses: Record<string, string | null | undefined>,
): Promise<void> {
  const given = Object.entries(addresses).flatMap(([field, address]) => (address ? [{ field, address }] : []));
  if (given.length === 0) return;
  const origins = await readAllowedOrigins(db, tenantId);
  const faults = given
    .filter(({ address }) => !isOnWebsite(address, origins, config.environment))
    .map(({ field, address }) => ({
      code: 'invalid_parameter' as const,
      detail: `${new URL(address).origin} is not among the allowed origins; an administrator lists it under API credentials.`,
      people: `${new URL(address).origin} is not one of your websites. An administrator lists it on the page of API credentials.`,
      source: { pointer: `/${field}` },
    }));
  if (faults.length > 0) throw new CarelaneError(faults);
}
