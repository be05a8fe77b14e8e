import type { Finding } from '#contract/integrations.ts';
import type { Config } from '#server/core/config.ts';

/** Parts of Acuity's settings, by their place on the emulator's page. */
export type AcuityPart = 'account' | 'calendars' | 'types' | 'forms' | 'webhooks';
export type LinkTo = (part: AcuityPart) => NonNullable<Finding['link']>;

const ACUITY = 'https://secure.acuityscheduling.com/';
/** The one page of the settings whose address Acuity publishes. */
const API_CREDENTIALS = `${ACUITY}app.php?key=api&action=settings`;

/** Where a finding is put right: in Acuity, or on the page of the emulator that stands for it. */
export const acuityLinks =
  ({ acuity }: Pick<Config, 'acuity'>, accountId: string): LinkTo =>
  (part) => {
    if (acuity.emulatorUrl)
      return { label: 'Open the sandbox’s Acuity', url: `${acuity.emulatorUrl}/console/${accountId}#${part}` };
    return part === 'account'
      ? { label: 'Open API credentials in Acuity', url: API_CREDENTIALS }
      : { label: 'Open Acuity', url: ACUITY };
  };
