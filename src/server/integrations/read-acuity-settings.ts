import type { Finding } from '#contract/settings.ts';
import type { Context } from '#server/core/context.ts';
import { wordsForPeople } from '#server/core/errors.ts';
import { type Acuity, AcuityError, type AcuityMe } from '#server/providers/acuity.ts';
import { findAcuityFaults } from './find-acuity-faults.ts';
import type { Details } from './present-integration.ts';
import { registerAcuityWebhook } from './register-acuity-webhook.ts';

export type AcuityReading = { me: AcuityMe; details: Details; findings: Finding[] };

/** Reads an account's settings and sees to our webhook. A webhook that Acuity refuses is a finding. */
export async function readAcuitySettings(ctx: Context, acuity: Acuity): Promise<AcuityReading> {
  const me = await acuity.me();
  const [types, calendars, forms] = await Promise.all([acuity.types(), acuity.calendars(), acuity.forms()]);
  const findings = findAcuityFaults({ types, calendars, forms });
  let webhookId: number | null = null;
  try {
    webhookId = await registerAcuityWebhook(ctx, acuity);
  } catch (error) {
    if (!(error instanceof AcuityError)) throw error;
    findings.push({
      code: 'webhook_not_registered',
      message: `Changes made in Acuity itself will be seen late. ${wordsForPeople(error.faults[0]!)}`,
    });
  }
  return { me, details: { name: me.name ?? null, time_zone: me.timezone, webhook_id: webhookId }, findings };
}
