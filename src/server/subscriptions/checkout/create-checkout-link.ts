import type { CheckoutLinkView, CreateCheckoutLinkInput } from '#contract/subscriptions.ts';
import { requireStaff } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import { refuse } from '#server/core/errors.ts';
import { newId, newToken } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { assertInCare, holdInCare } from '#server/patients/in-care.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import { loadSubscription, nextActionOf } from '../records/subscription.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { sealCheckoutMail } from './checkout-mail.ts';

const LINK_TTL = 1 * DAY;

/**
 * A link to the page where the patient pays or saves a card, for a day and until that is done; it replaces older links
 * of the subscription. The token stands in the fragment, which browsers send to no server. `send` mails it.
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

  const now = ctx.clock.now();
  const token = newCheckoutToken(ctx.tenantId);
  const url = `${ctx.config.publicUrl}/checkout#${token}`;
  const expiresAt = new Date(now.getTime() + LINK_TTL);
  const { name: clinic } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
  await ctx.db.$transaction(async (tx) => {
    await holdInCare(tx, ctx, row.patientId);
    await tx.checkoutLink.deleteMany({ where: { tenantId: ctx.tenantId, subscriptionId: id } });
    const owner = { tenantId: ctx.tenantId, subscriptionId: id, patientId: row.patientId };
    const tokenHash = hashCheckoutToken(token);
    await tx.checkoutLink.create({ data: { ...owner, id: newId(now), tokenHash, expiresAt, createdAt: now } });
    if (to) await enqueue(tx, 'send_mail', sealCheckoutMail(ctx, { to, url, clinic, plan: row.name }));
    await record(tx, ctx, {
      action: 'subscriptions.create_checkout_link',
      object: { type: 'Subscription', id },
      patientId: row.patientId,
      details: { sent: to !== null },
    });
  });
  return { url, expires_at: expiresAt.toISOString(), sent_to: to };
}

/** `{tenant id in base64url}.{256 random bits}`: names its tenant, so that it can be looked up without knowing one. */
const newCheckoutToken = (tenantId: string): string =>
  `${Buffer.from(tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.${newToken()}`;

/** What is kept of a token. */
export const hashCheckoutToken = (token: string): string => sha256(token);
