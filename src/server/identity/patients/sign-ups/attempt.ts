import type { SignUpAttempt } from '#generated/prisma/client.ts';
import { HOUR, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { tooMany } from '#server/core/errors.ts';
import { sourceOf } from '#server/core/network-of.ts';
import { shortenUserAgent } from '#server/core/user-agent.ts';
import type { Caller } from '../../proving/caller.ts';
import { personAt, personKey } from '../../proving/person.ts';
import type { Registration } from '../../srp/registration.ts';
import type { Inputs } from '../inputs.ts';

/** Of one address, from one place: more within the hour are refused, older ones make room. */
const MOST = 10;

/** What one device said when it signed up; without a password where codes are what one signs in by. */
type Content = { srp?: Registration; attributes: Inputs['signUp']['attributes'] };
/** Where an attempt is kept: found by the address together with a secret that the device alone has. */
type AttemptKeys = { key: string; person: string };

export const attemptKeys = (ctx: Context, address: string, attempt: string): AttemptKeys => ({
  key: personKey(ctx, personAt(address, attempt)),
  person: personKey(ctx, address),
});

const boundTo = (tenantId: string, key: string) => `sign_up_attempts/${tenantId}/${key}/content`;

export const openAttempt = (ctx: Context, { key, content }: Pick<SignUpAttempt, 'key' | 'content'>): Content =>
  JSON.parse(ctx.cipher.open(content, boundTo(ctx.tenantId, key)));

export async function findAttempt(
  db: Pick<Tx, 'signUpAttempt'>,
  { tenantId }: Context,
  { key }: Pick<AttemptKeys, 'key'>,
): Promise<SignUpAttempt | null> {
  return db.signUpAttempt.findUnique({ where: { tenantId_key: { tenantId, key } } });
}

type Keeping = AttemptKeys & {
  /** Who it may become; null where the address is somebody's already: the row is made all the same. */
  patientId: string | null;
  clientId: string;
  content: Content;
  /** Whether the patient's record says just this. */
  madeRecord: boolean;
};

/**
 * Keeps what a device signs up with; what it said before of that address is replaced, what others said is not touched.
 * Too many from one place: rate_limited.
 */
export async function keepAttempt(tx: Tx, ctx: Context, caller: Caller, keeping: Keeping): Promise<SignUpAttempt> {
  const { tenantId } = ctx;
  const { key, person, patientId, clientId, content, madeRecord } = keeping;
  const now = ctx.clock.now();
  const source = personKey(ctx, sourceOf(caller.ip));
  const others = await tx.signUpAttempt.findMany({
    where: { tenantId, person, source, key: { not: key } },
    orderBy: { askedAt: 'desc' },
    select: { key: true, askedAt: true },
    skip: MOST - 1,
  });
  if (others[0] && others[0].askedAt.getTime() > now.getTime() - HOUR)
    throw tooMany('Too many sign-ups with this address from here; try again in an hour.', HOUR / SECOND);
  await tx.signUpAttempt.deleteMany({ where: { tenantId, key: { in: others.map((other) => other.key) } } });
  const values = {
    person,
    source,
    patientId,
    clientId,
    content: ctx.cipher.seal(JSON.stringify(content), boundTo(tenantId, key)),
    madeRecord,
    userAgent: shortenUserAgent(caller.userAgent),
    askedAt: now,
    createdAt: now,
  };
  return tx.signUpAttempt.upsert({
    where: { tenantId_key: { tenantId, key } },
    create: { tenantId, key, ...values },
    update: values,
  });
}
