import type { CheckoutLinkView, CreateCheckoutLinkInput } from '#contract/subscriptions.ts';
import type { CheckoutLink, Subscription } from '#generated/prisma/client.ts';
import { authorOf, requireStaff } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { assertInCare, holdInCare } from '#server/patients/in-care.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import { loadSubscription, nextActionOf } from '../records/subscription.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { sealCheckoutMail } from './checkout-mail.ts';
import { findLiveLink, hashCheckoutToken, newCheckoutToken, openLink, sealLink } from './live-link.ts';

const LINK_TTL = 1 * DAY;

/**
 * The link to the page where the patient pays or saves a card, for a day and until that is done: while it is live the same
 * one with its end unchanged, so that copying it ends none that was mailed. `renew` puts a new one in its place, which ends
 * that. The token stands in the fragment, which browsers send to no server. `send` mails it.
 */
export async function createCheckoutLink(ctx: Context, input: CreateCheckoutLinkInput): Promise<CheckoutLinkView> {
  requireStaff(ctx.actor);
  const { id } = await loadSubscription(ctx, input.subscription_id);
  const { row } = await syncSubscription(ctx, id);
  if (nextActionOf(row) === 'none')
    throw refuse('conflict', 'There is nothing for the patient to pay or to save: no link is needed.');
  const patient = await loadPatientFor(ctx, row.patientId);
  assertInCare(patient);
  const to = input.send ? patient.email : null;
  if (input.send && !to) throw refuse('conflict', 'This patient has no email address to send the link to.');
  if (input.send && !ctx.config.mail) throw refuse('conflict', 'No mail is sent from here; copy the link instead.');

  const { name: clinic, timeZone } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
  return ctx.db.$transaction(async (tx) => {
    await holdInCare(tx, ctx, row.patientId);
    // Who asks at the same moment gets the same link.
    await tx.$queryRaw`select 1 from subscriptions where tenant_id = ${ctx.tenantId}::uuid and id = ${id} for update`;
    const live = input.renew ? null : await findLiveLink(tx, ctx, id);
    const link = live ?? (await replaceLinks(tx, ctx, row));
    const url = `${ctx.config.publicUrl}/checkout#${openLink(ctx, link).token}`;
    const expires_at = link.expiresAt.toISOString();
    if (to) {
      const sent = { sentTo: sealLink(ctx, link.id, 'sent_to', to), sentAt: ctx.clock.now() };
      await tx.checkoutLink.update({ where: { id: link.id, tenantId: ctx.tenantId }, data: sent });
      const mail = { to, url, clinic, plan: row.name, until: expires_at, timeZone };
      await enqueue(tx, 'send_mail', sealCheckoutMail(ctx, mail));
    }
    await record(tx, ctx, {
      action: 'subscriptions.create_checkout_link',
      object: { type: 'Subscription', id },
      patientId: row.patientId,
      details: { sent: to !== null, made: live === null },
    });
    return { url, expires_at, sent_to: to };
  });
}

/** A new link in place of all before: what opened them is forgotten. */
async function replaceLinks(
  tx: Tx,
  ctx: Context,
  { id: subscriptionId, patientId }: Subscription,
): Promise<CheckoutLink> {
  const now = ctx.clock.now();
  const { tenantId } = ctx;
  await tx.checkoutLink.updateMany({
    where: { tenantId, subscriptionId, endedAt: null, completedAt: null },
    data: { endedAt: now, token: null },
  });
  const id = newId(now);
  const token = newCheckoutToken(tenantId);
  return tx.checkoutLink.create({
    data: {
      ...{ id, tenantId, subscriptionId, patientId, createdAt: now },
      tokenHash: hashCheckoutToken(token),
      token: sealLink(ctx, id, 'token', token),
      madeBy: authorOf(ctx.actor).id,
      expiresAt: new Date(now.getTime() + LINK_TTL),
    },
  });
}
