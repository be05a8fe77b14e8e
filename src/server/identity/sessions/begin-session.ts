import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { asPatient } from '../verification/as-patient.ts';
import { lockPerson } from '../verification/person.ts';
import { endSessions } from './end-sessions.ts';
import { type BegunSession, begunFor, insertSession, type NewSession } from './insert-session.ts';

/**
 * Starts a session for a patient who has just authenticated, in the transaction that consumed the proof. A session that
 * the same request started before ends: its response was lost, so no client holds its tokens.
 */
export async function beginSession(tx: Tx, ctx: Context, beginning: NewSession): Promise<BegunSession> {
  const begun = await insertSession(tx, ctx, beginning);
  if (begun) return begun;
  const { patientId, clientId } = beginning;
  await lockPerson(tx, `${ctx.tenantId}:${patientId}`);
  const which = { patientId, begunFor: begunFor(ctx, beginning)! };
  await endSessions(tx, asPatient(ctx, patientId, clientId), which, 'revoked');
  const begunAnew = await insertSession(tx, ctx, beginning);
  if (!begunAnew) throw new Error('another session of the same request began under its lock');
  return begunAnew;
}
