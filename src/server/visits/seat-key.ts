import type { Services } from '#server/core/context.ts';
import { newLinkToken } from '#server/core/ids.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';

/** It names its tenant, as a link's token does. */
export const newSeatKey = (tenantId: string): string => newLinkToken(tenantId);

/** All that is kept of a seat's key. */
export const hashOfSeat = (services: Pick<Services, 'cipher'>, key: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(keyedHash(services, 'visit seat', key));

/** All that is kept of the secret of a tab. */
export const hashOfHold = (services: Pick<Services, 'cipher'>, hold: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(keyedHash(services, 'visit seat hold', hold));
