import type { SignUpAttempt } from '#generated/prisma/client.ts';
import { HOUR, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { rateLimited } from '#server/core/errors.ts';
import { sourceOf } from '#server/core/ip-address.ts';
import { shortenUserAgent } from '#server/core/user-agent.ts';
import type { Registration } from '../../srp/registration.ts';
import type { Caller } from '../../verification/caller.ts';
import { personAt, personKey } from '../../verification/person.ts';
import type { Inputs } from '../inputs.ts';

/** Sign-ups per address and source: more within an hour are rejected, older ones are deleted. */
const MOST = 10;

/** Data of one device's sign-up; without a password for sign-in by codes. */
type Content = { srp?: Registration; attributes: Inputs['signUp']['attributes'] };
/** Key of a sign-up attempt: the address together with a secret that only the device has. */
type AttemptKeys = { key: string; person: string };

export const pendingSignUpKeys = (ctx: Context, address: string, attempt: string): AttemptKeys => ({
  key: personKey(ctx, personAt(address, attempt)),
  person: personKey(ctx, address),
});

const boundTo = (tenantId: string, key: string) => `sign_up_attempts/${tenantId}/${key}/content`;

export const openPendingSignUp = (ctx: Context, { key, content }: Pick<SignUpAttempt, 'key' | 'content'>): Content =>
  JSON.parse(ctx.cipher.open(content, boundTo(ctx.tenantId, key)));

export async function findPendingSignUp(
  db: Pick<Tx, 'signUpAttempt'>,
  { tenantId }: Context,
  { key }: Pick<AttemptKeys, 'key'>,
): Promise<SignUpAttempt | null> {
  return db.signUpAttempt.findUnique({ where: { tenantId_key: { tenantId, key } } });
}

type Keeping = AttemptKeys & {
  /** The patient that it may become; null if the address is taken: the row is written in any case. */
  patientId: string | null;
  clientId: string;
  content: Content;
  /** Whether the patient's record was created from this sign-up. */
  madeRecord: boolean;
};

/**
 * Stores a device's sign-up. Replaces its previous one for the address; those of other devices stay.
 * @throws `rate_limited` for too many from one source
 */
export async function storePendingSignUp(
  tx: Tx,
  ctx: Context,
  caller: Caller,
  keeping: Keeping,
): Promise<SignUpAttempt> {
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
    throw rateLimited('Too many sign-ups with this address from here; try again in an hour.', HOUR / SECOND);
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
