import { DAY } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import type { Tx } from '../../core/db.ts';
import { newId } from '../../core/ids.ts';
import { record } from '../../core/record.ts';
import { asPatient } from '../as-patient.ts';
import type { Caller } from '../caller.ts';
import { lockPerson } from '../codes/lock-person.ts';
import { keyedHash } from '../keyed-hash.ts';
import { endSessions } from './end-sessions.ts';
import { networkOf } from './network-of.ts';
import { firstRefreshToken } from './refresh-token-text.ts';
import { shortenUserAgent } from './shorten-user-agent.ts';

/** Absolute: no refresh prolongs it (auth.md §1). */
const WINDOW = 30 * DAY;

export type BegunSession = {
  sessionId: string;
  patientId: string;
  clientId: string;
  refreshToken: string;
  expiresAt: Date;
};

/**
 * Opens a session for a patient who has just proved to be it, in the transaction that used up the proof. One that the
 * same request (by its Idempotency-Key) opened before ends: its answer was lost, so nobody holds its tokens.
 */
export async function beginSession(
  tx: Tx,
  ctx: Context,
  { patientId, clientId, caller }: { patientId: string; clientId: string; caller: Caller },
): Promise<BegunSession> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const sessionId = newId(now);
  const expiresAt = new Date(now.getTime() + WINDOW);
  const refreshToken = firstRefreshToken(ctx, sessionId);
  const inPatientsName = asPatient(ctx, patientId, clientId);
  const key = caller.idempotencyKey;
  const begunFor = key && keyedHash(ctx, 'idempotency', patientId, clientId, key).toString('hex');
  if (begunFor) {
    await lockPerson(tx, `${tenantId}:${patientId}`);
    await endSessions(tx, inPatientsName, { patientId, begunFor }, 'revoked');
  }
  await tx.patientSession.create({
    data: {
      id: sessionId,
      tenantId,
      patientId,
      clientId,
      begunFor,
      userAgent: shortenUserAgent(caller.userAgent),
      network: networkOf(caller.ip),
      expiresAt,
      lastUsedAt: now,
      createdAt: now,
    },
  });
  await tx.refreshToken.create({ data: { tenantId, hash: sha256(refreshToken), sessionId, createdAt: now } });
  await record(tx, inPatientsName, {
    action: 'sessions.begin',
    object: { type: 'Session', id: sessionId },
    patientId,
  });
  return { sessionId, patientId, clientId, refreshToken, expiresAt };
}
