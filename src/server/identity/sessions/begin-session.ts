import { DAY } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { keyedHash, sha256 } from '../../core/crypto.ts';
import { Prisma, type Queryable, query, type Tx } from '../../core/db.ts';
import { apiError } from '../../core/errors.ts';
import { newId, tokenOfTenant } from '../../core/ids.ts';
import { networkOf } from '../../core/ip-address.ts';
import { insertAudit } from '../../core/record.ts';
import { shortenUserAgent } from '../../core/user-agent.ts';
import type { Caller } from '../verification/caller.ts';
import { knownDeviceSql, secretOfSession } from '../verification/known-device.ts';
import { lockPerson } from '../verification/person.ts';
import { asPatient } from '../verification/request-context.ts';
import { endSessions } from './end-sessions.ts';

/**
 * Starts a session for a patient who has just authenticated, in the transaction that consumed the proof. A session that
 * the same request started before ends: its response was lost, so no client holds its tokens.
 */
export async function beginSession(tx: Tx, ctx: Context, newSession: NewSession): Promise<BegunSession> {
  const session = await insertSession(tx, ctx, newSession);
  if (session) return session;
  const requestKey = begunFor(ctx, newSession);
  if (requestKey === null) throw new Error('only a request with an Idempotency-Key can find its earlier session');
  const { patientId, clientId } = newSession;
  await lockPerson(tx, `${ctx.tenantId}:${patientId}`);
  const selector = { patientId, begunFor: requestKey };
  await endSessions(tx, asPatient(ctx, patientId, clientId), selector, 'revoked');
  const restarted = await insertSession(tx, ctx, newSession);
  if (!restarted) throw new Error('another session of the same request began under its lock');
  return restarted;
}

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
export async function insertSession(db: Queryable, ctx: Context, newSession: NewSession): Promise<BegunSession | null> {
  const { tenantId } = ctx;
  const { patientId, clientId, caller, salt = null } = newSession;
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
    { presented: newSession.device, secret, from: Prisma.sql`session` },
  );
  const statement = Prisma.sql`
    with locked as (
      select reset_by is not null or (${salt}::text is not null and salt is distinct from ${salt}::text) as "isChanged"
      from patient_sign_ins
      where tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid for share
    ), session as (
      insert into patient_sessions (id, tenant_id, patient_id, client_id, begun_for, user_agent, network, expires_at,
        last_used_at, created_at)
      select ${sessionId}::uuid, ${tenantId}::uuid, ${patientId}::uuid, ${clientId}::uuid, ${begunFor(ctx, newSession)},
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
  const [inserted] = await query<{ isBegun: boolean; isNew: boolean; isChanged: boolean }>(db, statement);
  if (inserted?.isChanged)
    throw apiError('expired_handshake', 'This account has changed in the meantime; start again.');
  if (!inserted?.isBegun) return null;
  return { sessionId, patientId, clientId, refreshToken, expiresAt, device: inserted.isNew ? secret : null };
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
function begunFor(ctx: Context, { patientId, clientId, caller }: NewSession): string | null {
  const key = caller.idempotencyKey;
  return key && keyedHash(ctx, 'idempotency', patientId, clientId, key).toString('hex');
}

/** The first refresh token of a session: 256 bits, derived so that a repeated sign-in step returns the same token. */
export const firstRefreshToken = (ctx: Context, sessionId: string): string =>
  tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'refresh-tokens/first', sessionId).toString('base64url'));

/**
 * The successor of a refresh token. It is derived from its predecessor, so a client that lost a race gets the winner's
 * result without the server storing it.
 */
export const nextRefreshToken = (ctx: Context, token: string): string =>
  tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'refresh-tokens/next', token).toString('base64url'));
