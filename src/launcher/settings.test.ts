import { describe, expect, it } from 'vitest';
import { createSettings } from './settings.mjs';

const ports = { postgres: 5001, stripe: 5002, acuity: 5003, inbox: 5004, smtp: 5005 };
const secrets = { encryptionKey: 'made-up-key', sessionSecret: 'made-up-secret', stripeSecretKey: 'sk_test_made_up' };
const options = { port: 3000, host: '127.0.0.1', emulators: true };
const settingsFor = (env: Record<string, string>, changed = {}) =>
  createSettings({ env, options: { ...options, ...changed }, ports, secrets });

describe('the settings of a start', () => {
  it('are generated for a sandbox', () => {
    const { service, emulatorUrls } = settingsFor({});
    expect(service).toMatchObject({
      CARELANE_ENV: 'sandbox',
      PUBLIC_URL: 'http://localhost:3000',
      SESSION_SECRET: 'made-up-secret',
      STRIPE_API_URL: 'http://127.0.0.1:5002',
      ACUITY_API_URL: 'http://127.0.0.1:5003/api/v1',
      SMTP_URL: 'smtp://127.0.0.1:5005',
    });
    expect(Object.keys(emulatorUrls)).toEqual(['stripe', 'acuity', 'inbox']);
  });

  it('omit the emulator of a configured provider, and its URLs', () => {
    const { service, use, emulatorUrls } = settingsFor({ STRIPE_SECRET_KEY: 'sk_test_own' });
    expect(use).toMatchObject({ stripe: false, acuity: true, inbox: true });
    expect(service.STRIPE_SECRET_KEY).toBe('sk_test_own');
    expect(service).not.toHaveProperty('STRIPE_API_URL');
    expect(emulatorUrls).not.toHaveProperty('stripe');
  });

  it('include the inbox while email or text messages need it', () => {
    expect(settingsFor({ SMTP_URL: 'smtp://mail.example.test' }).use.inbox).toBe(true);
    expect(settingsFor({ SMTP_URL: 'smtp://mail.example.test', TWILIO_ACCOUNT_SID: 'AC1' }).use.inbox).toBe(false);
  });

  it('have no defaults in production, where the service rejects missing settings', () => {
    const { service, use } = settingsFor({ CARELANE_ENV: 'production' });
    expect(Object.values(use)).not.toContain(true);
    for (const name of ['ENCRYPTION_KEY', 'SESSION_SECRET', 'STRIPE_SECRET_KEY'])
      expect(service).not.toHaveProperty(name);
  });

  it('treat an empty setting as missing', () => {
    expect(settingsFor({ STRIPE_SECRET_KEY: '' }).service.STRIPE_SECRET_KEY).toBe('sk_test_made_up');
  });

  it('never contain a real provider’s key for an emulator', () => {
    const { emulators } = settingsFor({ STRIPE_SECRET_KEY: 'sk_test_own' });
    expect(emulators.STRIPE_SECRET_KEY).toBe('sk_test_made_up');
    expect(emulators).not.toHaveProperty('STRIPE_WEBHOOK_URL');
  });

  it('send emulator webhooks to the loopback address of a server that listens on all interfaces', () => {
    const { emulators } = settingsFor({}, { host: '0.0.0.0', port: 3001 });
    expect(emulators.STRIPE_WEBHOOK_URL).toBe('http://127.0.0.1:3001/api/webhooks/stripe');
  });
});
