import { createHash } from 'node:crypto';
import { SRP_GROUP, type SrpSuite } from '#sdk/protocol/srp-suite.ts';
import { createExchange } from './exchange.ts';
import { createPowers } from './powers.ts';

/** The group and the hash of the protocol. */
export const SUITE: SrpSuite = { ...SRP_GROUP, hash: (data) => createHash('sha256').update(data).digest() };

/** The server's arithmetic for the protocol, with threads of its own, which start at their first use. */
export function createSrp() {
  const powers = createPowers(SUITE);
  return { ...powers, ...createExchange(SUITE, powers) };
}
