import { randomInt } from 'node:crypto';
import type { OneTimeCode } from '#generated/prisma/client.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';
import { personKey } from '../person.ts';

export type Purpose = 'sign_in' | 'confirm' | 'reset' | 'email' | 'phone' | 'proof';

const DIGITS = 6;
export const CODE_LIFETIME: Record<Purpose, number> = {
  sign_in: 5 * MINUTE,
  reset: 5 * MINUTE,
  phone: 5 * MINUTE,
  proof: 5 * MINUTE,
  confirm: 24 * HOUR,
  email: 24 * HOUR,
};

type Wanted = {
  purpose: Purpose;
  /** Who may tell it, as `personAt` says: each has a code and tries of their own. */
  person: string;
  /** Null for somebody unknown: the row is made all the same. */
  patientId: string | null;
  clientId: string;
  /** Of `countSend`. */
  sendId: string;
  /** Without it the code is told alone, with the address. */
  challenge?: string;
  /** What the code shall put in force: a new address. Kept encrypted. */
  target?: string;
};
export type IssuedCode = { code: string; until: string };

export const targetBoundTo = (tenantId: string, person: string) => `one_time_codes/${tenantId}/${person}/target`;

/** Makes the one live code of that person and purpose; an older one is dead from now on. */
export async function issueCode(tx: Tx, ctx: Context, wanted: Wanted): Promise<IssuedCode> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
  const { purpose, patientId, clientId, sendId, challenge, target } = wanted;
  const person = personKey(ctx, wanted.person);
  const id = newId(now);
  const expiresAt = new Date(now.getTime() + CODE_LIFETIME[purpose]);
  const values = {
    id,
    patientId,
    clientId,
    sendId,
    challengeHash: challenge === undefined ? null : sha256(challenge),
    codeHash: codeHash(ctx, id, code),
    tries: 0,
    expiresAt,
    usedAt: null,
    usedFor: null,
    sessionId: null,
    createdAt: now,
  };
  const sealed = target === undefined ? null : ctx.cipher.seal(target, targetBoundTo(tenantId, person));
  await tx.oneTimeCode.upsert({
    where: { tenantId_purpose_person: { tenantId, purpose, person } },
    create: { tenantId, purpose, person, target: sealed, ...values },
    update: { target: sealed, ...values },
  });
  return { code, until: expiresAt.toISOString() };
}

/** What is kept of a code. Keyed, for a million codes are soon tried. */
export const codeHash = (ctx: Context, codeId: string, code: string): string =>
  keyedHash(ctx, 'one-time-codes', codeId, code).toString('base64url');

/** What a code puts in force. */
export function openTarget(ctx: Context, { target, person }: OneTimeCode): string {
  if (!target) throw new Error('this code puts nothing in force');
  return ctx.cipher.open(target, targetBoundTo(ctx.tenantId, person));
}
