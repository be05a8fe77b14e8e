const EMULATOR_SECRETS = /^(sk_test_emulator|dev-|change-me|secret$|password$)/i;
type Checked = {
  [Name in
    | 'VIDEO_BASE_URL'
    | 'STRIPE_API_URL'
    | 'STRIPE_JS_URL'
    | 'ACUITY_API_URL'
    | 'TWILIO_API_URL'
    | 'INBOX_URL'
    | 'TWILIO_AUTH_TOKEN'
    | 'MAIL_WEBHOOK_SECRET'
    | 'VIDEO_TURN_SECRET']?: string | undefined;
} & Record<'PUBLIC_URL' | 'STRIPE_SECRET_KEY' | 'STRIPE_PUBLISHABLE_KEY' | 'SESSION_SECRET', string> & {
    ENCRYPTION_KEY: Buffer;
  };

/** Returns whether an address is on this machine. */
export const isLocal = (address: string) => /^(localhost|127\.|\[?::1\]?$|0\.0\.0\.0)/.test(new URL(address).hostname);

/** Returns why a production start fails, one sentence per fault. */
export function productionFaults(s: Checked): string[] {
  const faults: string[] = [];
  if (s.VIDEO_BASE_URL && !s.VIDEO_BASE_URL.startsWith('https://'))
    faults.push('VIDEO_BASE_URL must be an https address in production.');
  if (!s.PUBLIC_URL.startsWith('https://')) faults.push('PUBLIC_URL must be an https address in production.');
  for (const name of ['STRIPE_API_URL', 'STRIPE_JS_URL', 'ACUITY_API_URL', 'TWILIO_API_URL', 'INBOX_URL'] as const) {
    const address = s[name];
    if (address && (isLocal(address) || !address.startsWith('https://')))
      faults.push(`${name} points to an emulator, which production refuses.`);
  }
  if (s.STRIPE_SECRET_KEY.includes('_test_')) faults.push('STRIPE_SECRET_KEY is a test key, which production refuses.');
  if (s.STRIPE_PUBLISHABLE_KEY.includes('_test_'))
    faults.push('STRIPE_PUBLISHABLE_KEY is a test key, which production refuses.');
  for (const name of ['SESSION_SECRET', 'TWILIO_AUTH_TOKEN', 'MAIL_WEBHOOK_SECRET', 'VIDEO_TURN_SECRET'] as const)
    if (EMULATOR_SECRETS.test(s[name] ?? '')) faults.push(`${name} is a default secret; make your own.`);
  if (s.ENCRYPTION_KEY.every((byte) => byte === s.ENCRYPTION_KEY[0]))
    faults.push('ENCRYPTION_KEY is a default secret; make your own.');
  return faults;
}
