import type { CheckoutLink, ManageLink, Patient, Subscription } from '#generated/prisma/client.ts';
import { authorOf } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { newId, newToken } from '#server/core/ids.ts';

const LINK_TTL = 1 * DAY;

type Rows = { pay: CheckoutLink; manage: ManageLink };
/** What a link is for: paying or saving a card, or managing the subscription. */
type LinkKind = keyof Rows;
type Column = 'token' | 'sent_to';

const TABLE = { pay: 'checkout_links', manage: 'manage_links' } as const;
/** Links that were neither replaced nor, for payment links, completed. */
const OPEN = { pay: { endedAt: null, completedAt: null }, manage: { endedAt: null } } as const;

/** The table of a kind; both tables have the columns used here. */
const tableOf = (db: Pick<Tx, 'checkoutLink' | 'manageLink'>, kind: LinkKind) =>
  (kind === 'pay' ? db.checkoutLink : db.manageLink) as Tx['manageLink'];

const boundTo = (kind: LinkKind, tenantId: string, id: string, column: Column) =>
  `${TABLE[kind]}/${tenantId}/${id}/${column}`;

/** Encrypts a column of a link, so that access to the table does not give access to the link. */
export const sealLink = ({ cipher, tenantId }: Context, kind: LinkKind, id: string, column: Column, value: string) =>
  cipher.seal(value, boundTo(kind, tenantId, id, column));

export function openLink(
  { cipher, tenantId }: Context,
  kind: LinkKind,
  { id, token, sentTo }: Pick<CheckoutLink, 'id' | 'token' | 'sentTo'>,
): { token: string | null; sentTo: string | null } {
  const decrypt = (sealed: Uint8Array | null, column: Column) =>
    sealed && cipher.open(sealed, boundTo(kind, tenantId, id, column));
  return { token: decrypt(token, 'token'), sentTo: decrypt(sentTo, 'sent_to') };
}

/** Returns the live link of a subscription, or null. */
export async function findLiveLink<Kind extends LinkKind>(
  db: Pick<Tx, 'checkoutLink' | 'manageLink'>,
  { tenantId, clock }: Context,
  kind: Kind,
  subscriptionId: string,
): Promise<Rows[Kind] | null> {
  const link = await tableOf(db, kind).findFirst({
    where: { ...{ tenantId, subscriptionId, token: { not: null }, expiresAt: { gt: clock.now() } }, ...OPEN[kind] },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return link as Rows[Kind] | null;
}

/** Creates a link for one day and ends all earlier links of its kind; their tokens are deleted. */
export async function replaceLinks<Kind extends LinkKind>(
  tx: Tx,
  ctx: Context,
  kind: Kind,
  { id: subscriptionId, patientId }: Pick<Subscription, 'id' | 'patientId'>,
): Promise<Rows[Kind]> {
  const now = ctx.clock.now();
  const { tenantId } = ctx;
  await tableOf(tx, kind).updateMany({
    where: { tenantId, subscriptionId, ...OPEN[kind] },
    data: { endedAt: now, token: null },
  });
  const id = newId(now);
  const token = newCheckoutToken(tenantId);
  const created = await tableOf(tx, kind).create({
    data: {
      ...{ id, tenantId, subscriptionId, patientId, createdAt: now },
      tokenHash: hashCheckoutToken(token),
      token: sealLink(ctx, kind, id, 'token', token),
      madeBy: authorOf(ctx.actor).id,
      expiresAt: new Date(now.getTime() + LINK_TTL),
    },
  });
  return created as Rows[Kind];
}

/** `{tenant id in base64url}.{256 random bits}`: names its tenant, so that the lookup needs no other tenant id. */
const newCheckoutToken = (tenantId: string): string =>
  `${Buffer.from(tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.${newToken()}`;

/** The hash by which a link is looked up. */
export const hashCheckoutToken = (token: string): string => sha256(token);

/**
 * Returns the address that a link is sent to.
 * @throws `conflict` when it cannot be sent there
 */
export function addressOf({ config }: Context, { email, phoneNumber }: Patient, by: 'email' | 'sms'): string {
  const cannotSend = (detail: string) => apiError('conflict', detail, { people: detail });
  if (by === 'sms') {
    if (!config.twilio) throw cannotSend('No text messages are sent from here.');
    if (!phoneNumber) throw cannotSend('This patient has no phone number to send the link to.');
    return phoneNumber;
  }
  if (!email) throw cannotSend('This patient has no email address to send the link to.');
  if (!config.mail) throw cannotSend('No email is sent from here; copy the link instead.');
  return email;
}

/**
 * True while the patient still has every address that a link was sent to; a former address may belong to another
 * person.
 */
export const isCurrentAddress = (sentTo: string | null, { email, phoneNumber }: Patient): boolean =>
  (sentTo?.split(', ') ?? []).every((address) => address === email || address === phoneNumber);
