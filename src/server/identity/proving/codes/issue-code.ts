import { randomInt } from 'node:crypto';
import { TEST_CODE } from '#contract/test-addresses.ts';
import type { OneTimeCode } from '#generated/prisma/client.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';
import { personKey } from '../person.ts';

export type Purpose = 'sign_in' | 'confirm' | 'reset' | 'email' | 'phone' | 'proof';

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
  /** What `countSend` gave for the address that it goes to. */
  send: { id: string | null; isTest: boolean; digits: number };
  /** Without it the code is told alone, with the address. */
  challenge?: string;
  /**
   * What has to stand still when the code is told, or what it shall put in force: an address, or the salt that names the
   * password which it replaces. Kept encrypted.
   */
  target?: string;
};
/** With what went for the same source already. */
type WantedOnce = Wanted & { send: { earlier: string[] } };
export type IssuedCode = { code: string; until: string };

export const targetBoundTo = (tenantId: string, person: string) => `one_time_codes/${tenantId}/${person}/target`;

/** Makes the one live code of that person and purpose; an older one is dead from now on. */
export const issueCode = (tx: Tx, ctx: Context, wanted: Wanted): Promise<IssuedCode> =>
  writeCode(tx, ctx, wanted, null);

/**
 * The same, unless one that went for the same source before goes on working in its place: then null, and nothing more is
 * to be sent. It is then good for both challenges, and once, and keeps its length: all requests share its tries.
 */
export async function issueUnlessSent(tx: Tx, ctx: Context, wanted: WantedOnce): Promise<IssuedCode | null> {
  const kept = await findKept(tx, ctx, wanted);
  const issued = await writeCode(tx, ctx, wanted, kept);
  return kept ? null : issued;
}

async function writeCode(tx: Tx, ctx: Context, wanted: Wanted, kept: OneTimeCode | null): Promise<IssuedCode> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const { purpose, patientId, clientId, send, challenge, target } = wanted;
  const code = send.isTest ? TEST_CODE : drawCode(send.digits);
  const person = personKey(ctx, wanted.person);
  const id = newId(now);
  const expiresAt = new Date(now.getTime() + CODE_LIFETIME[purpose]);
  const values = {
    id,
    patientId,
    clientId,
    // Whoever tells it ends the waits of both.
    sendId: kept?.sendId ?? send.id,
    challengeHash: challenge === undefined ? null : sha256(challenge),
    codeHash: kept?.codeHash ?? codeHash(ctx, id, code),
    hashedAs: kept ? (kept.hashedAs ?? kept.id) : null,
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

const drawCode = (digits: number): string => String(randomInt(10 ** digits)).padStart(digits, '0');

/** The code of the message that stands for this one. Asked for whoever is named, so that no time tells who exists. */
async function findKept(
  tx: Tx,
  { tenantId }: Context,
  { send, purpose, patientId }: WantedOnce,
): Promise<OneTimeCode | null> {
  if (send.earlier.length === 0) return null;
  const kept = await tx.oneTimeCode.findFirst({
    where: { tenantId, purpose, sendId: { in: send.earlier }, usedAt: null },
    orderBy: { createdAt: 'desc' },
  });
  return kept && kept.patientId === patientId ? kept : null;
}

/** What is kept of a code. Keyed, for a million codes are soon tried. */
export const codeHash = (ctx: Context, codeId: string, code: string): string =>
  keyedHash(ctx, 'one-time-codes', codeId, code).toString('base64url');

/** What a code is about. */
export function openTarget(ctx: Context, { target, person }: OneTimeCode): string {
  if (!target) throw new Error('this code is about nothing');
  return ctx.cipher.open(target, targetBoundTo(ctx.tenantId, person));
}
