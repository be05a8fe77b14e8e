import { Resolver } from 'node:dns/promises';
import type { Config } from '../core/config.ts';

const TIMEOUT_MS = 2000;
const NOTHING_THERE = ['ENOTFOUND', 'ENODATA'];

/** The texts that DNS holds under a name, each whole; none where there are none; null where nobody answers. */
export async function readTexts({ dnsServers }: Pick<Config, 'dnsServers'>, name: string): Promise<string[] | null> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  try {
    if (dnsServers) resolver.setServers(dnsServers);
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    return NOTHING_THERE.includes((error as NodeJS.ErrnoException).code ?? '') ? [] : null;
  }
}
