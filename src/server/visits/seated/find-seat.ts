import type { CallSide } from '#contract/visit-call.ts';
import type { Services } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { tenantOfToken } from '#server/core/ids.ts';
import { hashOfSeat } from '../seat.ts';

/** The holder of a seat key. */
export type SeatHolder = {
  id: string;
  tenantId: string;
  appointmentId: string;
  patientId: string;
  side: CallSide;
  staffId: string | null;
  /** The seat was vacated. */
  hasLeft: boolean;
};

const LONGEST_KEY = 200;

/**
 * Reads tenant and hash from a seat key.
 *
 * @throws `missing_token`, `invalid_token`.
 */
export function parseSeatKey(
  services: Pick<Services, 'cipher'>,
  authorization: string | null,
): { tenantId: string; keyHash: Uint8Array<ArrayBuffer> } {
  if (authorization === null) throw apiError('missing_token', 'Send the key of a seat.');
  const key = /^Bearer ([\w.-]+)$/.exec(authorization.slice(0, LONGEST_KEY))?.[1];
  const tenantId = key ? tenantOfToken(key) : null;
  if (!key || !tenantId) throw unknownKey();
  return { tenantId, keyHash: hashOfSeat(services, key) };
}

/**
 * Returns the seat of a key, also a vacated one.
 *
 * @throws `missing_token`, `invalid_token`.
 */
export async function findSeat(services: Services, authorization: string | null): Promise<SeatHolder> {
  const { tenantId, keyHash } = parseSeatKey(services, authorization);
  const row = await services.database.forTenant(tenantId).visitSeat.findFirst({ where: { tenantId, keyHash } });
  if (!row) throw unknownKey();
  const { id, appointmentId, patientId, staffId, leftAt } = row;
  return { id, tenantId, appointmentId, patientId, side: row.side as CallSide, staffId, hasLeft: leftAt !== null };
}

const unknownKey = () =>
  apiError('invalid_token', 'This key opens no seat.', {
    people: 'Your place in this visit is gone. Open the visit again.',
  });
