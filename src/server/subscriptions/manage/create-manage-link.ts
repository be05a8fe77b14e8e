import type { CreateManageLinkInput, ManageLinkView } from '#contract/managed-subscription.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { enqueue } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { sendMessage } from '#server/messages/index.ts';
import { assertInCare, loadPatientFor, lockInCare } from '#server/patients/index.ts';
import { sealCheckoutMail } from '../checkout/checkout-mail.ts';
import { addressOf, findLiveLink, isCurrentAddress, openLink, replaceLinks, sealLink } from '../checkout/live-link.ts';
import { loadSubscription, lockSubscription } from '../records/subscription.ts';

/**
 * Creates the link to the page where a patient views and changes one subscription; valid for one day. A live link is
 * returned again; `renew` replaces it and ends the previous one. `send` sends it by email or SMS. The token is in the
 * URL fragment, which browsers do not send to servers.
 */
export async function createManageLink(ctx: Context, input: CreateManageLinkInput): Promise<ManageLinkView> {
  // Patients have access too: they may change the subscription anyway. The link can cancel, so staff must be able to.
  requireScope(ctx.actor, 'subscriptions:write', { patients: input.by !== 'sms', staff: 'subscriptions:cancel' });
  const row = await loadSubscription(ctx, input.subscription_id);
  const patient = await loadPatientFor(ctx, row.patientId);
  assertInCare(patient);
  const by = input.send ? (input.by ?? 'email') : null;
  const to = by && addressOf(ctx, patient, by);
  const { tenantId } = ctx;
  const { name: clinic, timeZone } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  return ctx.db.$transaction(async (tx) => {
    await lockInCare(tx, ctx, row.patientId);
    // Concurrent requests get the same link.
    await lockSubscription(tx, ctx, row.id);
    const existing = input.renew ? null : await findLiveLink(tx, ctx, 'manage', row.id);
    const live = existing && isCurrentAddress(openLink(ctx, 'manage', existing).sentTo, patient) ? existing : null;
    const link = live ?? (await replaceLinks(tx, ctx, 'manage', row));
    const { token, sentTo } = openLink(ctx, 'manage', link);
    const url = `${ctx.config.publicUrl}/manage#${token}`;
    const view = {
      subscription_id: row.id,
      patient_id: row.patientId,
      url,
      expires_at: link.expiresAt.toISOString(),
      sent_to: to,
    };
    if (to) {
      const all = [...new Set([...(sentTo?.split(', ') ?? []), to])].join(', ');
      const sent = { sentTo: sealLink(ctx, 'manage', link.id, 'sent_to', all), sentAt: ctx.clock.now() };
      await tx.manageLink.update({ where: { id: link.id, tenantId }, data: sent });
      const mail = { to, url, clinic, plan: row.name, page: 'manage' as const, until: view.expires_at, timeZone };
      const text = { kind: 'manage_link' as const, to, patientId: row.patientId, url, until: view.expires_at };
      if (by === 'sms') await sendMessage(tx, ctx, text);
      else await enqueue(tx, 'send_mail', sealCheckoutMail(ctx, mail));
    }
    await record(tx, ctx, {
      action: 'subscriptions.create_manage_link',
      object: { type: 'Subscription', id: row.id },
      patientId: row.patientId,
      response: view,
      details: { sent: to !== null, made: live === null, ...(by && { by }) },
    });
    return view;
  });
}
