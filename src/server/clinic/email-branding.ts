import { shadesOf } from '#contract/brand-shades.ts';
import type { Services } from '../core/context.ts';
import { loadClinic } from './get-clinic.ts';

/** Carelane's own colour, for clinics without one. */
const DEFAULT_COLOUR = '#0b6b66';

/** What every message of a clinic shows in addition to its text. */
export type EmailBranding = {
  clinic: string;
  timeZone: string;
  /** For mail programs that show images. */
  logo: { url: string; width: number; height: number } | null;
  /** The colour of a line on a white background: mails are light. */
  colour: string;
  /** Formatted for display. */
  phone: string | null;
  email: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
};

/** Height of a logo in a mail, and its maximum width. */
const [LOGO_HEIGHT, LOGO_WIDTH] = [40, 240];

const formatPhone = (e164: string): string => e164.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '+1 ($1) $2-$3');

export async function getEmailBranding({ database, config }: Services, tenantId: string): Promise<EmailBranding> {
  const clinic = await loadClinic(database.forTenant(tenantId), tenantId);
  const { logo } = clinic;
  const scale = logo ? Math.min(LOGO_HEIGHT / logo.height, LOGO_WIDTH / logo.width) : 1;
  return {
    clinic: clinic.name,
    timeZone: clinic.time_zone,
    logo: logo && {
      url: config.publicUrl + logo.path,
      width: Math.max(1, Math.round(logo.width * scale)),
      height: Math.max(1, Math.round(logo.height * scale)),
    },
    colour: shadesOf(clinic.colour ?? DEFAULT_COLOUR, 'light').accent,
    phone: clinic.support_phone && formatPhone(clinic.support_phone),
    email: clinic.support_email,
    termsUrl: clinic.terms_url,
    privacyUrl: clinic.privacy_url,
  };
}
