import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { getBillingSettings } from '#server/integrations/index.ts';

const RULES = {
  cancel: {
    setting: 'patients_may_cancel',
    detail: 'This organisation cancels subscriptions, and undoes that, itself: the patient has to ask there.',
    people: 'Your clinic ends subscriptions for you. Get in touch with them.',
  },
  change_plan: {
    setting: 'patients_may_change_plan',
    detail: 'This organisation changes plans itself: the patient has to ask there.',
    people: 'Your clinic changes plans for you. Get in touch with them.',
  },
} as const;

/**
 * Rejects a patient's change that the clinic reserves for itself. An impersonating application counts as the patient;
 * acting in its own name, it may make the change for the clinic.
 * @throws `organisation_only` (403)
 */
export async function assertOpenToPatients(ctx: Context, what: keyof typeof RULES): Promise<void> {
  if (ctx.actor.kind !== 'patient') return;
  const { setting, detail, people } = RULES[what];
  const settings = await getBillingSettings(ctx.db, ctx.tenantId);
  if (!settings[setting]) throw apiError('organisation_only', detail, { people });
}
