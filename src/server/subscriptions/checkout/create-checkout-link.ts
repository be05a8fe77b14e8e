import type { CheckoutLinkView, CreateCheckoutLinkInput } from '#contract/checkout-links.ts';
import type { SendCheckoutLinksInput, SentOutcomeView } from '#contract/subscriptions.ts';
import type { CheckoutLink, Subscription } from '#generated/prisma/client.ts';
import { requireScope, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { duplicatesSince } from '#server/core/duplicate-request.ts';
import { apiError, CarelaneError, presentErrors } from '#server/core/errors.ts';
import { enqueue } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { findStripeAccount } from '#server/integrations/index.ts';
import { sendMessage } from '#server/messages/index.ts';
import { assertInCare, loadPatientFor, lockInCare } from '#server/patients/index.ts';
import { loadSubscription, lockSubscription, nextActionOf } from '../records/subscription.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { sealCheckoutMail } from './checkout-mail.ts';
import { addressOf, findLiveLink, openLink, replaceLinks, sealLink } from './live-link.ts';

/**
 * Creates the link to the page where the patient pays or saves a card; valid for one day and until that is done. A live
 * link is returned again with its expiry unchanged, so copying it ends no link that was sent. `renew` replaces it and
 * ends the previous one. The token is in the URL fragment, which browsers do not send to servers. `send` sends it by
 * email or SMS.
 */
export async function createCheckoutLink(ctx: Context, input: CreateCheckoutLinkInput): Promise<CheckoutLinkView> {
  requireScope(ctx.actor, 'subscriptions:write', { patients: input.by !== 'sms' });
  const { id } = await loadSubscription(ctx, input.subscription_id);
  const { row } = await syncSubscription(ctx, id);
  const by = input.send ? (input.by ?? 'email') : null;
  return (await getOrCreateLink(ctx, row, { by, renew: input.renew ?? false, codes: input.allow_promotion_codes }))
    .view;
}

/**
 * Sends the payment links of several subscriptions. A failure is reported per subscription and does not affect the
 * others. A repeat within ten minutes sends nothing again. The amount due comes from the database; Stripe is read when
 * a link is opened.
 */
export async function sendCheckoutLinks(
  ctx: Context,
  { subscription_ids, by = 'email' }: SendCheckoutLinksInput,
): Promise<{ items: SentOutcomeView[] }> {
  requireStaff(ctx.actor, 'subscriptions:write');
  const items: SentOutcomeView[] = [];
  for (const subscription_id of new Set(subscription_ids)) {
    let patient_id: string | null = null;
    try {
      const row = await loadSubscription(ctx, subscription_id);
      patient_id = row.patientId;
      const { view, isSentAlready } = await getOrCreateLink(ctx, row, { by, unlessSince: duplicatesSince(ctx) });
      const outcome = isSentAlready ? 'sent_already' : 'sent';
      items.push({ subscription_id, patient_id, outcome, sent_to: view.sent_to, reason: null });
    } catch (error) {
      if (!(error instanceof CarelaneError)) throw error;
      const people = presentErrors(error.faults, { forPeople: true })[0]?.people;
      items.push({ subscription_id, patient_id, outcome: 'not_sent', sent_to: null, reason: people ?? null });
    }
  }
  return { items };
}

type LinkOptions = {
  by: SendCheckoutLinksInput['by'] | null;
  renew?: boolean;
  /**
   * Sets whether the page accepts promotion codes. Without it a live link is unchanged, and a new link follows the
   * subscription.
   */
  codes?: boolean | undefined;
  /** A link sent to the same address since then is not sent again. */
  unlessSince?: Date;
};
type LinkResult = { view: CheckoutLinkView; isSentAlready: boolean };

/** Returns the link of a subscription that has a payment due or a card to save. */
async function getOrCreateLink(
  ctx: Context,
  row: Subscription,
  { by, renew = false, codes, unlessSince }: LinkOptions,
): Promise<LinkResult> {
  const { id } = row;
  if (nextActionOf(row) === 'none')
    throw apiError('conflict', 'There is nothing for the patient to pay or to save: no link is needed.', {
      people: 'There is nothing for the patient to pay or to save.',
    });
  if ((await findStripeAccount(ctx)) !== row.accountId)
    throw apiError(
      'conflict',
      'This subscription is at a Stripe account that is not connected: no link is given for it.',
      {
        people:
          'It belongs to a Stripe account that is not connected any more. Create a new subscription for the patient instead.',
      },
    );
  const patient = await loadPatientFor(ctx, row.patientId);
  assertInCare(patient);
  const to = by ? addressOf(ctx, patient, by) : null;
  const { name: clinic, timeZone } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
  return ctx.db.$transaction(async (tx) => {
    await lockInCare(tx, ctx, row.patientId);
    // Concurrent requests get the same link.
    await lockSubscription(tx, ctx, id);
    const live = renew ? null : await findLiveLink(tx, ctx, 'pay', id);
    const acceptsCodes = codes ?? (live ? undefined : row.allowPromotionCodes);
    const link = await withCodes(tx, ctx, live ?? (await replaceLinks(tx, ctx, 'pay', row)), acceptsCodes);
    const opened = openLink(ctx, 'pay', link);
    const view = {
      subscription_id: id,
      patient_id: row.patientId,
      url: `${ctx.config.publicUrl}/checkout#${opened.token}`,
      allow_promotion_codes: link.allowPromotionCodes,
      expires_at: link.expiresAt.toISOString(),
      sent_to: to,
    };
    if (to && unlessSince && opened.sentTo === to && link.sentAt && link.sentAt >= unlessSince)
      return { view, isSentAlready: true };
    if (to && by) {
      const sent = { sentTo: sealLink(ctx, 'pay', link.id, 'sent_to', to), sentAt: ctx.clock.now() };
      await tx.checkoutLink.update({ where: { id: link.id, tenantId: ctx.tenantId }, data: sent });
      const { url, expires_at: until } = view;
      if (by === 'sms') await sendMessage(tx, ctx, { kind: 'payment_link', to, patientId: row.patientId, url, until });
      else await enqueue(tx, 'send_mail', sealCheckoutMail(ctx, { to, url, clinic, plan: row.name, until, timeZone }));
    }
    await record(tx, ctx, {
      action: 'subscriptions.create_checkout_link',
      object: { type: 'Subscription', id },
      patientId: row.patientId,
      response: view,
      details: {
        ...{ sent: to !== null, made: live === null },
        ...(by && { by }),
        ...(link.allowPromotionCodes && { codes: true }),
      },
    });
    return { view, isSentAlready: false };
  });
}

/** Changes whether a link accepts promotion codes, when requested. */
async function withCodes(
  tx: Tx,
  { tenantId }: Context,
  link: CheckoutLink,
  allowed: boolean | undefined,
): Promise<CheckoutLink> {
  if (allowed === undefined || allowed === link.allowPromotionCodes) return link;
  return tx.checkoutLink.update({ where: { id: link.id, tenantId }, data: { allowPromotionCodes: allowed } });
}
