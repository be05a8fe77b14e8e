import { DAY, HOUR, MINUTE, SECOND } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { CarelaneError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { sourceOf } from '../sessions/network-of.ts';
import { countSpend } from './count-spend.ts';
import { personKey } from './person-key.ts';

/** auth.md §6 */
const FIRST_WAIT = 30 * SECOND;
const PER_PERSON = { tenMinutes: 5, day: 10 };
/** What keeps a stranger from spending one clinic's money, by where they are, by whom they text, and at all. */
const PER_HOUR = { source: 100, prefix: 300, everybody: 3000 };

type Counts = { source: bigint; prefix: bigint; everybody: bigint };

/** The area code and exchange of a number, or an e-mail's domain. */
const prefixOf = (address: string): string =>
  address.startsWith('+') ? address.slice(0, 8) : address.split('@').at(-1)!;

/**
 * Counts one code that was asked for, whether or not there is anybody to send it to, and gives the seconds until the
 * next may be asked for. Too soon or too many: `rate_limited` with Retry-After. The caller holds the person's lock.
 */
export async function countSend(tx: Tx, ctx: Context, address: string, ip: string): Promise<number> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const ago = (span: number) => new Date(now.getTime() - span);
  const parts = { person: address, prefix: prefixOf(address), source: sourceOf(ip) };
  const person = personKey(ctx, parts.person);
  const prefix = personKey(ctx, parts.prefix);
  const source = personKey(ctx, parts.source);
  const sent = await tx.codeSend.findMany({
    where: { tenantId, person, sentAt: { gt: ago(DAY) } },
    orderBy: { sentAt: 'desc' },
    select: { sentAt: true },
  });
  const [row] = await tx.$queryRaw<Counts[]>`
    select count(*) filter (where source = ${source}) as source, count(*) filter (where prefix = ${prefix}) as prefix,
      count(*) as everybody
    from code_sends where tenant_id = ${tenantId}::uuid and sent_at > ${ago(HOUR)}::timestamptz`;
  const recent = sent.filter(({ sentAt }) => sentAt > ago(10 * MINUTE));
  const until = (from: Date | undefined, span: number) => (from ? from.getTime() + span - now.getTime() : 0);
  const wait = Math.max(
    until(sent[0]?.sentAt, recent.length > 0 ? FIRST_WAIT * 2 ** (recent.length - 1) : 0),
    until(recent[PER_PERSON.tenMinutes - 1]?.sentAt, 10 * MINUTE),
    until(sent[PER_PERSON.day - 1]?.sentAt, DAY),
    row && (row.source >= PER_HOUR.source || row.prefix >= PER_HOUR.prefix || row.everybody >= PER_HOUR.everybody)
      ? 10 * MINUTE
      : 0,
  );
  const seconds = wait > 0 ? Math.ceil(wait / SECOND) : countSpend(ctx, parts);
  if (seconds > 0) throw tooSoon(seconds);
  await tx.codeSend.create({ data: { id: newId(now), tenantId, person, prefix, source, sentAt: now } });
  return (FIRST_WAIT / SECOND) * 2 ** recent.length;
}

const tooSoon = (seconds: number) =>
  new CarelaneError(
    { code: 'rate_limited', detail: `A code was sent already; ask for another in ${seconds} seconds.` },
    { headers: { 'retry-after': String(seconds) } },
  );
