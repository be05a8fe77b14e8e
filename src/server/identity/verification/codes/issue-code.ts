import { randomInt } from 'node:crypto';
import { TEST_CODE } from '#contract/test-addresses.ts';
import type { OneTimeCode } from '#generated/prisma/client.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { keyedHash, sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
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

type CodeRequest = {
  purpose: Purpose;
  /** Who may use the code, as returned by `personAt`: each has an own code and attempts. */
  person: string;
  /** Null for an unknown address: the row is written in any case. */
  patientId: string | null;
  clientId: string;
  /** Result of `countSend` for the address. */
  send: { id: string | null; isTest: boolean; digits: number };
  /** Without it, the code is presented with the address alone. */
  challenge?: string;
  /**
   * The address that the code puts into effect, or the salt that identifies the password to be replaced. It must not
   * change until the code is used. Stored encrypted.
   */
  target?: string;
};
/** Includes the messages already sent to the same source. */
type CodeRequestOnce = CodeRequest & { send: { earlier: string[] } };
export type IssuedCode = { code: string; until: string };

const targetBoundTo = (tenantId: string, person: string) => `one_time_codes/${tenantId}/${person}/target`;

/** Creates the one live code of this person and purpose; an older code becomes invalid. */
export const issueCode = (tx: Tx, ctx: Context, request: CodeRequest): Promise<IssuedCode> =>
  writeCode(tx, ctx, request, null);

/**
 * Like `issueCode`, unless a code already sent to the same source stands in for it: then returns null and no message
 * may be sent. That code works for both challenges, but once; its length stays, and all requests share its attempts.
 */
export async function issueUnlessSent(tx: Tx, ctx: Context, request: CodeRequestOnce): Promise<IssuedCode | null> {
  const earlier = await findEarlierCode(tx, ctx, request);
  const issued = await writeCode(tx, ctx, request, earlier);
  return earlier ? null : issued;
}

async function writeCode(tx: Tx, ctx: Context, request: CodeRequest, earlier: OneTimeCode | null): Promise<IssuedCode> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const { purpose, patientId, clientId, send, challenge, target } = request;
  const code = send.isTest ? TEST_CODE : drawCode(send.digits);
  const person = personKey(ctx, request.person);
  const id = newId(now);
  const expiresAt = new Date(now.getTime() + CODE_LIFETIME[purpose]);
  const values = {
    id,
    patientId,
    clientId,
    // Using it ends the waits of both requests.
    sendId: earlier?.sendId ?? send.id,
    challengeHash: challenge === undefined ? null : sha256(challenge),
    codeHash: earlier?.codeHash ?? codeHash(ctx, id, code),
    hashedAs: earlier ? (earlier.hashedAs ?? earlier.id) : null,
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

/**
 * Finds the code of the message that stands in for this one. Runs for unknown addresses too, so that timing does not
 * reveal accounts.
 */
async function findEarlierCode(
  tx: Tx,
  { tenantId }: Context,
  { send, purpose, patientId }: CodeRequestOnce,
): Promise<OneTimeCode | null> {
  if (send.earlier.length === 0) return null;
  const earlier = await tx.oneTimeCode.findFirst({
    where: { tenantId, purpose, sendId: { in: send.earlier }, usedAt: null },
    orderBy: { createdAt: 'desc' },
  });
  return earlier && earlier.patientId === patientId ? earlier : null;
}

/** Keyed hash of a code: a plain hash of a million possible codes could be searched quickly. */
export const codeHash = (ctx: Context, codeId: string, code: string): string =>
  keyedHash(ctx, 'one-time-codes', codeId, code).toString('base64url');

/** Decrypts the target of a code. */
export function openTarget(ctx: Context, { target, person }: OneTimeCode): string {
  if (!target) throw new Error('this code has no target');
  return ctx.cipher.open(target, targetBoundTo(ctx.tenantId, person));
}
