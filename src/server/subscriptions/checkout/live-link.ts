import type { CheckoutLink, ManageLink, Patient, Subscription } from '#generated/prisma/client.ts';
import { authorOf } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { newId, newToken } from '#server/core/ids.ts';

const LINK_TTL = 1 * DAY;

type Rows = { pay: CheckoutLink; manage: ManageLink };
/** What a link is for: to pay or save a card, or to manage the subscription. */
export type LinkKind = keyof Rows;
type Column = 'token' | 'sent_to';

const TABLE = { pay: 'checkout_links', manage: 'manage_links' } as const;
/** Those that neither another has taken the place of nor, where they ask for something, have it done. */
const OPEN = { pay: { endedAt: null, completedAt: null }, manage: { endedAt: null } } as const;

/** A kind's table; both have all that is asked of them here. */
const tableOf = (db: Pick<Tx, 'checkoutLink' | 'manageLink'>, kind: LinkKind) =>
  (kind === 'pay' ? db.checkoutLink : db.manageLink) as Tx['manageLink'];

const boundTo = (kind: LinkKind, tenantId: string, id: string, column: Column) =>
  `${TABLE[kind]}/${tenantId}/${id}/${column}`;

/** A link's columns that nobody reads who only sees the table. */
export const sealLink = ({ cipher, tenantId }: Context, kind: LinkKind, id: string, column: Column, value: string) =>
  cipher.seal(value, boundTo(kind, tenantId, id, column));

export function openLink(
  { cipher, tenantId }: Context,
  kind: LinkKind,
  { id, token, sentTo }: Pick<CheckoutLink, 'id' | 'token' | 'sentTo'>,
): { token: string | null; sentTo: string | null } {
  const opened = (sealed: Uint8Array | null, column: Column) =>
    sealed && cipher.open(sealed, boundTo(kind, tenantId, id, column));
  return { token: opened(token, 'token'), sentTo: opened(sentTo, 'sent_to') };
}

/** The link of a subscription that still opens what it was made for, if there is one. */
export async function findLiveLink<Kind extends LinkKind>(
  db: Pick<Tx, 'checkoutLink' | 'manageLink'>,
  { tenantId, clock }: Context,
  kind: Kind,
  subscriptionId: string,
): Promise<Rows[Kind] | null> {
  const found = await tableOf(db, kind).findFirst({
    where: { ...{ tenantId, subscriptionId, token: { not: null }, expiresAt: { gt: clock.now() } }, ...OPEN[kind] },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return found as Rows[Kind] | null;
}

/** A new link for a day in place of all before of its kind: what opened them is forgotten. */
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
  const made = await tableOf(tx, kind).create({
    data: {
      ...{ id, tenantId, subscriptionId, patientId, createdAt: now },
      tokenHash: hashCheckoutToken(token),
      token: sealLink(ctx, kind, id, 'token', token),
      madeBy: authorOf(ctx.actor).id,
      expiresAt: new Date(now.getTime() + LINK_TTL),
    },
  });
  return made as Rows[Kind];
}

/** `{tenant id in base64url}.{256 random bits}`: names its tenant, so that it can be looked up without knowing one. */
const newCheckoutToken = (tenantId: string): string =>
  `${Buffer.from(tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.${newToken()}`;

/** What a link is looked up by. */
export const hashCheckoutToken = (token: string): string => sha256(token);

/** Where a link is sent to; refused where that cannot be. */
export function addressOf({ config }: Context, { email, phoneNumber }: Patient, by: 'email' | 'sms'): string {
  const refused = (words: string) => refuse('conflict', words, { people: words });
  if (by === 'sms') {
    if (!config.twilio) throw refused('No text messages are sent from here.');
    if (!phoneNumber) throw refused('This patient has no phone number to send the link to.');
    return phoneNumber;
  }
  if (!email) throw refused('This patient has no email address to send the link to.');
  if (!config.mail) throw refused('No mail is sent from here; copy the link instead.');
  return email;
}

/** Whether the patient still has all addresses that a link was sent to: whoever reads another is somebody else. */
export const isStillTheirs = (sentTo: string | null, { email, phoneNumber }: Patient): boolean =>
  (sentTo?.split(', ') ?? []).every((address) => address === email || address === phoneNumber);
