import type { Finding } from '#contract/integrations.ts';
import type { Config } from '#server/core/config.ts';

/** Sections of Acuity's settings, by their anchor on the emulator's page. */
export type AcuityPart = 'account' | 'calendars' | 'types' | 'forms' | 'webhooks';
export type LinkTo = (part: AcuityPart) => NonNullable<Finding['link']>;

const ACUITY = 'https://secure.acuityscheduling.com/';
/** The only settings page whose address Acuity publishes. */
const API_CREDENTIALS = `${ACUITY}app.php?key=api&action=settings`;

/** Links to the place where a finding is fixed: in Acuity, or on the emulator's page. */
export const acuityLinks =
  ({ acuity }: Pick<Config, 'acuity'>, accountId: string): LinkTo =>
  (part) => {
    if (acuity.emulatorUrl)
      return { label: 'Open the sandbox’s Acuity', url: `${acuity.emulatorUrl}/console/${accountId}#${part}` };
    return part === 'account'
      ? { label: 'Open API credentials in Acuity', url: API_CREDENTIALS }
      : { label: 'Open Acuity', url: ACUITY };
  };
