export { assertAllowedPages } from './allowed-pages.ts';
export { type EmailBranding, getEmailBranding } from './email-branding.ts';
