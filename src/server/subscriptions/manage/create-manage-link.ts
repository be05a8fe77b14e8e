import type { CreateManageLinkInput, ManageLinkView } from '#contract/managed-subscription.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { enqueue } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { assertInCare, holdInCare } from '#server/patients/in-care.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import { sealCheckoutMail } from '../checkout/checkout-mail.ts';
import { findLiveLink, openLink, replaceLinks, sealLink } from '../checkout/live-link.ts';
import { loadSubscription, lockSubscription } from '../records/subscription.ts';

/**
 * The link to the page where a patient sees one subscription and changes what the clinic lets them, for a day. While it is
 * live the same one is given; `renew` puts a new one in its place, which ends that. `send` mails it. The token stands in the
 * fragment, which browsers send to no server.
 */
export async function createManageLink(ctx: Context, input: CreateManageLinkInput): Promise<ManageLinkView> {
  // Open to patients too: they may change the subscription themselves anyway.
  requireScope(ctx.actor, 'subscriptions:write');
  const row = await loadSubscription(ctx, input.subscription_id);
  const patient = await loadPatientFor(ctx, row.patientId);
  assertInCare(patient);
  const to = input.send ? patient.email : null;
  if (input.send && !to) throw refuse('conflict', 'This patient has no email address to send the link to.');
  if (input.send && !ctx.config.mail) throw refuse('conflict', 'No mail is sent from here; copy the link instead.');
  const { tenantId } = ctx;
  const { name: clinic, timeZone } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  return ctx.db.$transaction(async (tx) => {
    await holdInCare(tx, ctx, row.patientId);
    // Who asks at the same moment gets the same link.
    await lockSubscription(tx, ctx, row.id);
    const live = input.renew ? null : await findLiveLink(tx, ctx, 'manage', row.id);
    const link = live ?? (await replaceLinks(tx, ctx, 'manage', row));
    const url = `${ctx.config.publicUrl}/manage#${openLink(ctx, 'manage', link).token}`;
    const view = {
      subscription_id: row.id,
      patient_id: row.patientId,
      url,
      expires_at: link.expiresAt.toISOString(),
      sent_to: to,
    };
    if (to) {
      const sent = { sentTo: sealLink(ctx, 'manage', link.id, 'sent_to', to), sentAt: ctx.clock.now() };
      await tx.manageLink.update({ where: { id: link.id, tenantId }, data: sent });
      const mail = { to, url, clinic, plan: row.name, page: 'manage' as const, until: view.expires_at, timeZone };
      await enqueue(tx, 'send_mail', sealCheckoutMail(ctx, mail));
    }
    await record(tx, ctx, {
      action: 'subscriptions.create_manage_link',
      object: { type: 'Subscription', id: row.id },
      patientId: row.patientId,
      answer: view,
      details: { sent: to !== null, made: live === null },
    });
    return view;
  });
}
