import { DAY } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { Prisma, type Tx } from '../../core/db.ts';
import { refuse } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { keyedHash } from '../../core/keyed-hash.ts';
import { networkOf } from '../../core/network-of.ts';
import { insertAudit } from '../../core/record.ts';
import { shortenUserAgent } from '../../core/user-agent.ts';
import type { Caller } from '../proving/caller.ts';
import { inPatientsName } from '../proving/in-patients-name.ts';
import { knowingDevice, secretOfSession } from '../proving/known-device.ts';
import { firstRefreshToken } from './refresh-token-text.ts';

/** Absolute: no refresh prolongs it. */
const WINDOW = 30 * DAY;

export type BegunSession = {
  sessionId: string;
  patientId: string;
  clientId: string;
  refreshToken: string;
  expiresAt: Date;
  /** What makes the device known from now on; null where it was known before. */
  device: string | null;
};

/**
 * Writes a session, its first refresh token, the known device and the audit entry in one statement, which is all or nothing without a
 * transaction around it. Null, and nothing written, when a live session was begun for the same request. The row of the
 * sign-in is held meanwhile, so that a change that is undone, or a password that is replaced, at the same moment either ends
 * this session or is seen. Error: expired_handshake while a reset is demanded, or once the password is another.
 */
export async function insertSession(
  db: Pick<Tx, '$queryRaw'>,
  ctx: Context,
  beginning: Beginning,
): Promise<BegunSession | null> {
  const { tenantId } = ctx;
  const { patientId, clientId, caller, salt = null } = beginning;
  const now = ctx.clock.now();
  const sessionId = newId(now);
  const expiresAt = new Date(now.getTime() + WINDOW);
  const refreshToken = firstRefreshToken(ctx, sessionId);
  const audit = insertAudit(
    inPatientsName(ctx, patientId, clientId),
    { action: 'sessions.begin', object: { type: 'Session', id: sessionId }, patientId },
    Prisma.sql`from session`,
  );
  const secret = secretOfSession(ctx, sessionId);
  const { known, device } = knowingDevice(
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
  if (begun?.isChanged) throw refuse('expired_handshake', 'This account has changed meanwhile; start again.');
  if (!begun?.isBegun) return null;
  return { sessionId, patientId, clientId, refreshToken, expiresAt, device: begun.isNew ? secret : null };
}

export type Beginning = {
  patientId: string;
  clientId: string;
  caller: Caller;
  /** The secret of a device on which this patient has signed in before, as the caller has it. */
  device?: string | undefined;
  /** Of the password that was proved, which it names: it must not have been replaced meanwhile. */
  salt?: string;
};

/** The request that begins a session, told by its Idempotency-Key; null without one. */
export function begunFor(ctx: Context, { patientId, clientId, caller }: Beginning): string | null {
  const key = caller.idempotencyKey;
  return key && keyedHash(ctx, 'idempotency', patientId, clientId, key).toString('hex');
}
