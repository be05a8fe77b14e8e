import { Resolver } from 'node:dns/promises';
import type { Config } from '../core/config.ts';

const TIMEOUT_MS = 2000;
const NO_RECORDS = ['ENOTFOUND', 'ENODATA'];

/** Returns the TXT records of a name, each joined; an empty list if there are none, null if DNS does not respond. */
export async function resolveTxtRecords(
  { dnsServers }: Pick<Config, 'dnsServers'>,
  name: string,
): Promise<string[] | null> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  try {
    if (dnsServers) resolver.setServers(dnsServers);
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    return NO_RECORDS.includes((error as NodeJS.ErrnoException).code ?? '') ? [] : null;
  }
}
