import type { Services } from '#server/core/context.ts';
import { newLinkToken } from '#server/core/ids.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';

/** Returns a new seat key, which contains the tenant id like a link's token. */
export const newSeatKey = (tenantId: string): string => newLinkToken(tenantId);

/** Returns the hash of a seat key; only the hash is stored. */
export const hashOfSeat = (services: Pick<Services, 'cipher'>, key: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(keyedHash(services, 'visit seat', key));

/** Returns the hash of a tab's secret; only the hash is stored. */
export const hashOfHold = (services: Pick<Services, 'cipher'>, hold: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(keyedHash(services, 'visit seat hold', hold));
