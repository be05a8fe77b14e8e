import type { EmailBranding } from '#server/clinic/index.ts';
import type { Mail } from '#server/providers/mail.ts';

export type EmailTemplate = {
  subject: string;
  /** In order: sentences, a link, a code. */
  parts: (string | { url: string } | { code: string })[];
  /** The clinic's support contact is for patients; staff have their admins. */
  isToPatient: boolean;
  /** English by default. The English labels of the footer are omitted in other languages. */
  language?: string;
};

/**
 * Renders one email as text and as HTML with the same content, readable without images and colors: the logo is added
 * above the text and never replaces it.
 */
export function renderEmail(
  { subject, parts, isToPatient, language = 'en' }: EmailTemplate,
  clinic: string,
  branding: EmailBranding | null,
): Omit<Mail, 'to' | 'stamp'> & { html: string } {
  const footer = branding && isToPatient ? footerOf(branding, language) : [];
  const textOfPart = (part: EmailTemplate['parts'][number]) =>
    typeof part === 'string' ? part : 'url' in part ? part.url : part.code;
  const text = [...parts.map(textOfPart), clinic, footer.map(({ label, url }) => label + (url ?? '')).join('\n')];
  const html = [
    `<!doctype html><html lang="${escaped(language)}"><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width"><title>${escaped(subject)}</title></head>`,
    '<body style="font-family:sans-serif;font-size:16px;line-height:1.5;max-width:36em;margin:0 auto;padding:16px">',
    ...(branding ? headerOf(branding) : []),
    ...parts.map((part) => {
      if (typeof part === 'string') return `<p>${escaped(part)}</p>`;
      if ('url' in part) return `<p>${link(part.url, labelOf(part.url))}</p>`;
      return `<p style="font-size:28px;letter-spacing:4px"><strong>${escaped(part.code)}</strong></p>`;
    }),
    `<p>${escaped(clinic)}</p>`,
    ...(footer.length > 0 ? ['<hr style="border:0;border-top:1px solid #d5dddd">'] : []),
    ...footer.map(({ label, url }) => `<p style="font-size:14px">${escaped(label)}${url ? link(url, url) : ''}</p>`),
    '</body></html>',
  ].join('\n');
  const reply = isToPatient && branding?.email ? { replyTo: branding.email } : {};
  return { subject, text: text.filter(Boolean).join('\n\n'), html, ...reply };
}

/** "Questions? Call +1 (202) 555-0100.", or null if the clinic has set no contact. */
function supportLine({ phone, email }: Pick<EmailBranding, 'phone' | 'email'>): string | null {
  const contacts = [phone && `call ${phone}`, email && `write to ${email}`].filter(Boolean).join(' or ');
  return contacts ? `Questions? ${contacts.charAt(0).toUpperCase()}${contacts.slice(1)}.` : null;
}

function footerOf(branding: EmailBranding, language: string): { label: string; url?: string }[] {
  const { phone, email, termsUrl, privacyUrl } = branding;
  if (!/^en\b/.test(language)) {
    const contacts = [phone, email].filter(Boolean).join(', ');
    const pages = [termsUrl, privacyUrl].flatMap((url) => (url ? [{ label: '', url }] : []));
    return [...(contacts ? [{ label: contacts }] : []), ...pages];
  }
  const support = supportLine(branding);
  return [
    ...(support ? [{ label: support }] : []),
    ...(termsUrl ? [{ label: 'Terms: ', url: termsUrl }] : []),
    ...(privacyUrl ? [{ label: 'Privacy: ', url: privacyUrl }] : []),
  ];
}

/** Adds no text: the clinic's name is in the email, below it, and in the logo's `alt`. */
function headerOf({ clinic, logo, colour }: EmailBranding): string[] {
  const picture =
    logo && `<img src="${escaped(logo.url)}" alt="${escaped(clinic)}" width="${logo.width}" height="${logo.height}">`;
  return [
    `<div style="border-bottom:3px solid ${colour};padding-bottom:12px;margin-bottom:16px">${picture ?? ''}</div>`,
  ];
}

/** The address without its secret: several links of one email lead to different pages. */
function labelOf(url: string): string {
  const { origin, pathname, hash } = new URL(url);
  return hash === '' ? origin : origin + pathname;
}

/** Uses the mail program's own link color, which readers recognize. */
const link = (url: string, label: string): string => `<a href="${escaped(url)}">${escaped(label)}</a>`;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
