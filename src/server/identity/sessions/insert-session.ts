import { DAY } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { Prisma, type Tx } from '../../core/db.ts';
import { apiError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { networkOf } from '../../core/ip-address.ts';
import { keyedHash } from '../../core/keyed-hash.ts';
import { insertAudit } from '../../core/record.ts';
import { shortenUserAgent } from '../../core/user-agent.ts';
import { asPatient } from '../verification/as-patient.ts';
import type { Caller } from '../verification/caller.ts';
import { knownDeviceSql, secretOfSession } from '../verification/known-device.ts';
import { firstRefreshToken } from './refresh-token.ts';

/** An absolute limit: a refresh does not extend it. */
const WINDOW = 30 * DAY;

export type BegunSession = {
  sessionId: string;
  patientId: string;
  clientId: string;
  refreshToken: string;
  expiresAt: Date;
  /** The secret that makes the device known from now on; null if the device was known already. */
  device: string | null;
};

/**
 * Inserts the session, its first refresh token, the known device and the audit entry in one atomic statement. Returns
 * null and writes nothing when the same request already has a live session. The statement locks the sign-in row, so a
 * concurrent undo of an address change or password replacement either ends this session or is seen.
 * @throws `expired_handshake` while a reset is required, or after the password was replaced
 */
export async function insertSession(
  db: Pick<Tx, '$queryRaw'>,
  ctx: Context,
  beginning: NewSession,
): Promise<BegunSession | null> {
  const { tenantId } = ctx;
  const { patientId, clientId, caller, salt = null } = beginning;
  const now = ctx.clock.now();
  const sessionId = newId(now);
  const expiresAt = new Date(now.getTime() + WINDOW);
  const refreshToken = firstRefreshToken(ctx, sessionId);
  const audit = insertAudit(
    asPatient(ctx, patientId, clientId),
    { action: 'sessions.begin', object: { type: 'Session', id: sessionId }, patientId },
    Prisma.sql`from session`,
  );
  const secret = secretOfSession(ctx, sessionId);
  const { known, device } = knownDeviceSql(
    ctx,
    { patientId },
    { presented: beginning.device, secret, from: Prisma.sql`session` },
  );
  const [begun] = await db.$queryRaw<{ isBegun: boolean; isNew: boolean; isChanged: boolean }[]>`
    with locked as (
      select reset_by is not null or (${salt}::text is not null and salt is distinct from ${salt}::text) as "isChanged"
      from patient_sign_ins
      where tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid for share
    ), session as (
      insert into patient_sessions (id, tenant_id, patient_id, client_id, begun_for, user_agent, network, expires_at,
        last_used_at, created_at)
      select ${sessionId}::uuid, ${tenantId}::uuid, ${patientId}::uuid, ${clientId}::uuid, ${begunFor(ctx, beginning)},
        ${shortenUserAgent(caller.userAgent)}, ${networkOf(caller.ip)}, ${expiresAt}::timestamptz, ${now}::timestamptz,
        ${now}::timestamptz
      where not exists (select from locked where "isChanged")
      on conflict (tenant_id, patient_id, begun_for) where ended_at is null and begun_for is not null do nothing
      returning id
    ), token as (
      insert into refresh_tokens (tenant_id, hash, session_id, created_at)
      select ${tenantId}::uuid, ${sha256(refreshToken)}, id, ${now}::timestamptz from session
    ), known as (${known}), device as (${device}), audit as (${audit})
    select exists (select from session) as "isBegun", exists (select from device) as "isNew",
      exists (select from locked where "isChanged") as "isChanged"`;
  if (begun?.isChanged) throw apiError('expired_handshake', 'This account has changed in the meantime; start again.');
  if (!begun?.isBegun) return null;
  return { sessionId, patientId, clientId, refreshToken, expiresAt, device: begun.isNew ? secret : null };
}

export type NewSession = {
  patientId: string;
  clientId: string;
  caller: Caller;
  /** The device secret that the client presents if this patient has signed in on it before. */
  device?: string | undefined;
  /** Salt of the verified password. It identifies the password, which must not have been replaced since. */
  salt?: string;
};

/** Identifies the request that starts a session by its Idempotency-Key; null without one. */
export function begunFor(ctx: Context, { patientId, clientId, caller }: NewSession): string | null {
  const key = caller.idempotencyKey;
  return key && keyedHash(ctx, 'idempotency', patientId, clientId, key).toString('hex');
}
