import type { CheckoutLink } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { newToken } from '#server/core/ids.ts';

const boundTo = (tenantId: string, id: string, column: 'token' | 'sent_to') =>
  `checkout_links/${tenantId}/${id}/${column}`;

/** A link's columns that nobody reads who only sees the table. */
export const sealLink = ({ cipher, tenantId }: Context, id: string, column: 'token' | 'sent_to', value: string) =>
  cipher.seal(value, boundTo(tenantId, id, column));

export function openLink(
  { cipher, tenantId }: Context,
  { id, token, sentTo }: Pick<CheckoutLink, 'id' | 'token' | 'sentTo'>,
): { token: string | null; sentTo: string | null } {
  const opened = (sealed: Uint8Array | null, column: 'token' | 'sent_to') =>
    sealed && cipher.open(sealed, boundTo(tenantId, id, column));
  return { token: opened(token, 'token'), sentTo: opened(sentTo, 'sent_to') };
}

/** The link of a subscription that still opens what it was made for, if there is one. */
export const findLiveLink = (
  db: Pick<Tx, 'checkoutLink'>,
  { tenantId, clock }: Context,
  subscriptionId: string,
): Promise<CheckoutLink | null> =>
  db.checkoutLink.findFirst({
    where: {
      ...{ tenantId, subscriptionId, endedAt: null, completedAt: null },
      ...{ token: { not: null }, expiresAt: { gt: clock.now() } },
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });

/** `{tenant id in base64url}.{256 random bits}`: names its tenant, so that it can be looked up without knowing one. */
export const newCheckoutToken = (tenantId: string): string =>
  `${Buffer.from(tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.${newToken()}`;

/** What a link is looked up by. */
export const hashCheckoutToken = (token: string): string => sha256(token);
