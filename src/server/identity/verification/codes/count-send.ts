import { isTestAddress } from '#contract/test-addresses.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { keyedHash, sameSecret, sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { CarelaneError, formatWait, rateLimited } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { sourceOf } from '#server/core/ip-address.ts';
import { assertRateLimit, type RateLimitUse } from '#server/core/rate-limiter.ts';
import { CODE_POLICY } from '#server/core/rate-limits.ts';
import { deviceHash } from '../known-device.ts';
import { lockPerson, mailboxOf, personKey } from '../person.ts';
import type { Purpose } from './issue-code.ts';

const { knownDevice, unknownSource, allUnknownSources, shareOfUnknown } = CODE_POLICY;

/** A message sent in the last 24 hours whose code has not been used. */
export type UnusedSend = { purpose: string; sentAt: Date };
export type Requester = { known: boolean; purpose: string };
/**
 * The messages to one person that count for the caller, newest first: those requested by known devices, or by the same
 * unknown source; and the number requested by all unknown sources.
 */
type UnusedSends = { own: UnusedSend[]; unknown: number };
/**
 * Milliseconds until the caller may get a message, the proof of work that it costs, and the digits of its code. The
 * message after it has to wait for `next` milliseconds, and for `nextDay`: the rest of the day after the day's last
 * message, else 0.
 */
type SendLimit = { wait: number; bits: number | null; digits: number; next: number; nextDay: number };

const { perDay: freePerDay, leastBits, mostBits, moreBitsEvery } = allUnknownSources;
/** At this many requests of unknown sources the work reaches its maximum; there is no need to count further. */
export const MAX_COUNTED = freePerDay + (mostBits - leastBits) * moreBitsEvery;

/** Returns the remaining milliseconds of a span that starts at `at`. */
const until = (at: Date | undefined, span: number, now: Date): number =>
  at ? Math.max(0, at.getTime() + span - now.getTime()) : 0;

export function sendLimitOf({ own, unknown }: UnusedSends, { known, purpose }: Requester, now: Date): SendLimit {
  const { perDay } = known ? knownDevice : unknownSource;
  const waitAfter = known ? waitOfKnown : waitOfUnknown;
  const samePurpose = own.filter((send) => send.purpose === purpose);
  const wait = Math.max(
    until(samePurpose[0]?.sentAt, waitAfter(samePurpose.length), now),
    until(own[perDay - 1]?.sentAt, DAY, now),
  );
  const nextDay = until([now, ...own.map(({ sentAt }) => sentAt)][perDay - 1], DAY, now);
  const bits = known ? null : bitsOf(unknown);
  const digits = bits === null ? CODE_POLICY.digits : allUnknownSources.digits;
  return { wait, bits, digits, next: waitAfter(samePurpose.length + 1), nextDay };
}

/** Wait after this many unused codes. */
const waitOfKnown = (codes: number): number => (codes > 1 ? knownDevice.laterWait : knownDevice.firstWait);
const waitOfUnknown = (codes: number): number => unknownSource.firstWait * unknownSource.growth ** (codes - 1);

const bitsOf = (unknown: number): number | null =>
  unknown < freePerDay ? null : Math.min(mostBits, leastBits + Math.floor((unknown - freePerDay) / moreBitsEvery));

/** Long enough for a slow phone. */
const CHALLENGE_LIFETIME = 10 * MINUTE;
const MAC_BYTES = 16;

export type ProofOfWork = { challenge: string; nonce: string };
/** A challenge is bound to one person's messages to one source. */
type Bound = { person: string; source: string };

const macOf = (ctx: Context, { person, source }: Bound, head: string): string =>
  keyedHash(ctx, 'proof-of-work', ctx.tenantId, person, source, head).subarray(0, MAC_BYTES).toString('base64url');

/**
 * Creates a stateless challenge that holds its expiry and difficulty. It is short, so that one attempt takes one
 * SHA-256 block.
 */
export function makeChallenge(ctx: Context, bound: Bound, bits: number): string {
  const head = `${(ctx.clock.now().getTime() + CHALLENGE_LIFETIME).toString(36)}.${bits}`;
  return `${head}.${macOf(ctx, bound, head)}`;
}

/**
 * Returns whether the challenge is genuine, bound to this person and source, not expired, and solved. The caller checks
 * that it was not used before.
 */
export function isSolved(ctx: Context, bound: Bound, { challenge, nonce }: ProofOfWork): boolean {
  const [end = '', bits = '', mac = '', ...rest] = challenge.split('.');
  // If more parts could follow, one solution would work for many challenges that share a prefix.
  if (rest.length > 0 || !sameSecret(mac, macOf(ctx, bound, `${end}.${bits}`))) return false;
  if (Number.parseInt(end, 36) <= ctx.clock.now().getTime()) return false;
  return leadingZeroBits(Buffer.from(sha256(`${challenge}:${nonce}`), 'hex')) >= Number(bits);
}

function leadingZeroBits(hash: Uint8Array): number {
  const at = hash.findIndex((byte) => byte !== 0);
  const byte = hash[at];
  return byte === undefined ? hash.length * 8 : at * 8 + Math.clz32(byte) - 24;
}

/** Creates the error that carries the challenge. */
const workRequired = (ctx: Context, bound: Bound, bits: number): CarelaneError =>
  new CarelaneError({
    code: 'proof_of_work_required',
    detail: 'Many codes were asked for already. Solve the challenge, then send the request again with the proof.',
    meta: {
      proof_of_work: { challenge: makeChallenge(ctx, bound, bits), difficulty: bits, algorithm: 'sha-256' },
    },
  });

/**
 * Lowers the share of the texts by up to this much (by half of it for known devices), differently in each hour. Otherwise an
 * attacker could use it up to the last text message and learn from the next request whether the last one was sent, and
 * so whether the account exists. The margin stays the same within the hour: it could be averaged out if it changed with
 * each request.
 */
const MARGIN = 0.1;

/** The share of the texts under a limit that a request may use. */
function shareOfTexts(ctx: Context, { name, key }: RateLimitUse, known: boolean): number {
  const hour = Math.floor(ctx.clock.now().getTime() / HOUR);
  const hash = keyedHash(ctx, 'code-limits', known ? 'known' : 'unknown', name, ...key, `${hour}`);
  const random = hash.readUInt32BE() / 2 ** 32;
  return known ? 1 - (MARGIN / 2) * random : shareOfUnknown - MARGIN * random;
}

type Spending = {
  known: boolean;
  texted: boolean;
  sourceAddress: string;
  /** Null for an email. */
  prefix: string | null;
};

/**
 * Counts a send under the hourly limits of the clinic and of the service.
 * @throws `rate_limited`
 */
export function assertWithinSpending(ctx: Context, { known, texted, sourceAddress, prefix }: Spending): void {
  const { tenantId } = ctx;
  // Known devices skip the limits of their source: on a shared address, unauthenticated clients must not delay them.
  const requests: RateLimitUse[] = known
    ? []
    : [
        { name: 'codes_from_source', key: [tenantId, sourceAddress] },
        { name: 'codes_from_source_anywhere', key: [sourceAddress] },
      ];
  const share = known ? 1 : shareOfUnknown;
  const mails: RateLimitUse[] = [
    { name: 'mails', key: [tenantId], share },
    { name: 'mails_anywhere', key: [], share },
  ];
  const textsTo = (exchange: string): RateLimitUse[] =>
    [
      { name: 'texts_to_exchange' as const, key: [tenantId, exchange] },
      { name: 'texts_to_exchange_anywhere' as const, key: [exchange] },
      { name: 'texts' as const, key: [tenantId] },
      { name: 'texts_anywhere' as const, key: [] },
    ].map((use) => ({ ...use, share: shareOfTexts(ctx, use, known) }));
  const messages = prefix === null ? mails : textsTo(prefix);
  const uncountMessages = assertRateLimit(ctx, ...messages);
  try {
    assertRateLimit(ctx, ...requests);
  } catch (error) {
    uncountMessages();
    throw error;
  }
  // An unsent text costs nothing and must not delay other requests.
  if (prefix !== null && !texted) uncountMessages();
}

export type SendRequest = {
  /** An email address or an E.164 number, as the caller typed it. */
  address: string;
  purpose: Purpose | 'staff_reset';
  caller: { ip: string };
  input: { device?: string | undefined; proof_of_work?: ProofOfWork | undefined };
  /** Overrides the lookup of the device's secret, for example for the portal. */
  isKnown?: boolean;
};
/**
 * `id` is stored with the code, so that using the code ends the wait. `wait` is the time until the next code in
 * seconds; `resend_after` is the same, but with the rest of the day rounded up to whole hours, so that responses do not
 * differ by account. `isTest`: a sandbox test address with a fixed code, which is not counted. `digits` depends on the
 * counters only, not on whether the account exists. `earlier`: messages already sent to the same source that replace a
 * new one.
 */
export type CountedSend = {
  id: string | null;
  wait: number;
  resend_after: number;
  isTest: boolean;
  digits: number;
  earlier: string[];
};

/**
 * Counts a requested code within `CODE_POLICY`, also for an address without an account. Unknown sources are counted by
 * person and source, so none uses up another's codes; known devices are counted separately. The caller holds the
 * person's lock. Test addresses of a sandbox never wait.
 * @throws `rate_limited` with Retry-After, `proof_of_work_required` with a challenge in `meta`
 */
export async function countSend(tx: Tx, ctx: Context, request: SendRequest): Promise<CountedSend> {
  const { address, purpose, caller, input } = request;
  if (ctx.config.environment === 'sandbox' && purpose !== 'staff_reset' && isTestAddress(address))
    return { id: null, wait: 0, resend_after: 0, isTest: true, digits: CODE_POLICY.digits, earlier: [] };
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const isText = !address.includes('@');
  const sourceAddress = sourceOf(caller.ip);
  const mailbox = mailboxOf(address);
  if (mailbox !== address) await lockPerson(tx, `${tenantId}:${mailbox}`);
  const bound = { person: personKey(ctx, mailbox), source: personKey(ctx, sourceAddress) };
  const owner = await findOwner(tx, ctx, address, input.device);
  const known = request.isKnown ?? owner.knowsDevice;
  const unused = await readUnusedSends(tx, ctx, { ...bound, known });
  const limit = sendLimitOf(unused, { known, purpose }, now);
  if (limit.wait > 0) throw tooSoon(limit.wait);
  const proof = await requireProofOfWork(tx, ctx, bound, limit, input.proof_of_work);
  const isSentOnce = purpose === 'sign_in' && limit.bits !== null;
  const earlier = isSentOnce ? await findEarlierSends(tx, ctx, unused.own, purpose) : [];
  // A new number always gets a text message; a number without an account does not.
  const texted = isText && (purpose === 'phone' || owner.hasAccount) && earlier.length === 0;
  const prefix = isText ? areaOf(address) : null;
  assertWithinSpending(ctx, { known, texted, sourceAddress, prefix });
  const id = newId(now);
  await tx.codeSend.create({
    data: { id, tenantId, person: bound.person, purpose, source: bound.source, known, texted, proof, sentAt: now },
  });
  const wait = Math.ceil(Math.max(limit.next, limit.nextDay) / SECOND);
  const resend_after = Math.max(limit.next / SECOND, (Math.ceil(limit.nextDay / HOUR) * HOUR) / SECOND);
  return { id, wait, resend_after, isTest: false, digits: limit.digits, earlier };
}

type CountedRow = UnusedSend & { id: string; outcome: string | null };

/**
 * Reads the unused messages of the last 24 hours that count for this caller; at most a day's limit of rows, however
 * many other sources send requests.
 */
async function readUnusedSends(
  tx: Tx,
  { tenantId, clock }: Context,
  { person, source, known }: { person: string; source: string; known: boolean },
): Promise<{ own: CountedRow[]; unknown: number }> {
  const sentAt = { gt: new Date(clock.now().getTime() - DAY) };
  const unusedFilter = { tenantId, person, sentAt, answeredAt: null };
  const own = await tx.codeSend.findMany({
    where: { ...unusedFilter, known, ...(!known && { source }) },
    orderBy: { sentAt: 'desc' },
    select: { id: true, purpose: true, sentAt: true, outcome: true },
  });
  const unknown = known ? 0 : await tx.codeSend.count({ where: { ...unusedFilter, known: false }, take: MAX_COUNTED });
  return { own, unknown };
}

/**
 * During this time a message may still arrive; after it, only a message known to have been sent replaces the next one.
 */
const DELIVERY_WINDOW = 5 * MINUTE;

/**
 * Returns the messages whose code still works for another request. Runs for unknown addresses too, so that timing does
 * not reveal accounts.
 */
async function findEarlierSends(
  tx: Tx,
  { tenantId, clock }: Context,
  own: CountedRow[],
  purpose: SendRequest['purpose'],
): Promise<string[]> {
  const samePurpose = own.filter((send) => send.purpose === purpose);
  const usable = await tx.oneTimeCode.groupBy({
    by: 'sendId',
    where: { tenantId, sendId: { in: samePurpose.map(({ id }) => id) } },
    having: { tries: { _sum: { lt: CODE_POLICY.attemptsPerMessage } } },
  });
  const ids = new Set(usable.map(({ sendId }) => sendId));
  return samePurpose
    .filter(({ id }) => ids.has(id))
    .filter(({ outcome, sentAt }) => (outcome ? outcome !== 'lost' : until(sentAt, DELIVERY_WINDOW, clock.now()) > 0))
    .map(({ id }) => id);
}

/** Country code, area code and exchange of a number. */
const areaOf = (number: string): string => number.slice(0, 8);

/** Returns whether the address has an account and whether the device is known to it, in one statement. */
async function findOwner(
  tx: Tx,
  { tenantId, clock }: Context,
  address: string,
  device: string | undefined,
): Promise<{ hasAccount: boolean; knowsDevice: boolean }> {
  const [row] = await tx.$queryRaw<{ hasAccount: boolean; knowsDevice: boolean }[]>`
    with owner as (
      select p.id from patients p where p.tenant_id = ${tenantId}::uuid and p.email = ${address} and p.archived_at is null
      union all
      select p.id from patient_sign_ins s join patients p on p.tenant_id = s.tenant_id and p.id = s.patient_id
      where s.tenant_id = ${tenantId}::uuid and s.phone_number = ${address} and p.archived_at is null
    )
    select exists (select from owner) as "hasAccount", exists (
      select from known_devices d join owner on owner.id = d.patient_id
      where d.tenant_id = ${tenantId}::uuid and d.hash = ${deviceHash(device ?? '')}
        and d.expires_at > ${clock.now()}::timestamptz) as "knowsDevice"`;
  if (!row) throw new Error('the statement returned no row');
  return row;
}

/**
 * @returns the challenge, stored so that its proof cannot be reused; null if none is required
 * @throws `proof_of_work_required`
 */
async function requireProofOfWork(
  tx: Tx,
  ctx: Context,
  bound: { person: string; source: string },
  { bits }: SendLimit,
  proofOfWork: ProofOfWork | undefined,
): Promise<string | null> {
  if (bits === null) return null;
  if (!proofOfWork || !isSolved(ctx, bound, proofOfWork)) throw workRequired(ctx, bound, bits);
  const { challenge } = proofOfWork;
  const where = { tenantId_proof: { tenantId: ctx.tenantId, proof: challenge } };
  if (await tx.codeSend.findUnique({ where, select: { id: true } })) throw workRequired(ctx, bound, bits);
  return challenge;
}

function tooSoon(wait: number): CarelaneError {
  const seconds = Math.ceil(wait / SECOND);
  return rateLimited(`A code was sent already; ask for another in ${formatWait(seconds)}.`, seconds);
}
