import { expect, test } from 'vitest';
import type { Message, RequestedBy } from '../message.ts';
import { buildEmail } from './build-email.ts';
import { buildSms } from './build-sms.ts';
import { findTemplates } from './find-templates.ts';

const CLINIC = 'Bed & <Breakfast>';
const code = { to: 'ada@example.test', code: '012345', until: '2030-01-01T00:00:00Z' };
const asked = { device: null, at: '2030-01-01T00:00:00Z' };
const to = { to: 'ada@example.test' };
const toStaff = { ...to, staffUserId: '01936f3c-0a94-7e63-8b1d-52c7f0e9a436' };
const link = { url: 'https://care.example.test/join#token', until: '2030-01-01T00:00:00Z' };
const MAILS: Exclude<Message, { kind: 'nothing' }>[] = [
  { kind: 'confirmation_code', ...code },
  { kind: 'reset_code', ...code },
  { kind: 'email_code', ...code },
  { kind: 'confirmation_code', ...code, asked },
  { kind: 'sign_up_elsewhere', ...to, asked },
  { kind: 'confirm_first', ...to, asked },
  { kind: 'already_signed_up', ...to },
  { kind: 'no_account', ...to },
  { kind: 'email_in_use', ...to },
  { kind: 'sign_in_closed', ...to, ...link },
  { kind: 'sign_in_tried', ...to },
  { kind: 'codes_stopped', ...to, sender: '+12025550100' },
  { kind: 'codes_stopped', ...to, sender: null },
  { kind: 'password_changed', ...to },
  { kind: 'email_changed', ...to },
  { kind: 'email_asked', ...to, ...link },
  { kind: 'staff_invitation', ...toStaff, ...link },
  { kind: 'staff_reset', ...toStaff, ...link },
  { kind: 'staff_sign_in_closed', ...toStaff, ...link },
  { kind: 'staff_password_changed', ...toStaff },
  { kind: 'two_step_on', ...toStaff },
  { kind: 'two_step_off', ...toStaff },
  { kind: 'recovery_code_used', ...toStaff, left: 7 },
  { kind: 'webhooks_failing', ...toStaff, receiver: 'hooks.example.test', url: link.url },
  { kind: 'webhooks_off', ...toStaff, receiver: 'hooks.example.test', url: link.url },
];

test.each(MAILS.map((message) => [message.kind, message] as const))(
  'the email %s has the same content as text and HTML',
  (_, message) => {
    const { subject, text, html } = buildEmail(message, CLINIC);
    expect(subject).toContain(CLINIC);
    expect(html).toContain('<html lang="en">');
    expect(html).not.toContain('<Breakfast>');
    expect(text).not.toContain('null');
    expect(text.includes('012345')).toBe('code' in message);
    expect(html?.includes('012345')).toBe('code' in message);
  },
);

const SPANISH = findTemplates(['es-US']);
/** Words that occur in no Spanish sentence. */
const ENGLISH = /\b(the|you|your|if|it|this|was|code|asked|with)\b/i;
const TO_PATIENTS = MAILS.filter((message) => !('staffUserId' in message));

test.each(
  [
    ...TO_PATIENTS,
    { kind: 'proof_code', ...code, asked } as const,
    { kind: 'invitation', ...code, ...link } as const,
    { kind: 'email_helped', ...code, ...link } as const,
    { kind: 'email_changed', ...to, ...link, asked } as const,
    { kind: 'change_undone', ...to, needs: 'password' } as const,
    { kind: 'sign_in_paused', ...to, needs: 'clinic' } as const,
    { kind: 'sign_in_moved', ...to } as const,
  ].map((message) => [message.kind, message] as const),
)('the email %s is in Spanish for a Spanish reader, with the same code and link', (_, message) => {
  const english = buildEmail(message, CLINIC);
  const { subject, text, html } = buildEmail(message, CLINIC, 'UTC', null, SPANISH);
  expect(subject).toContain(CLINIC);
  expect(html).toContain('<html lang="es">');
  expect(text).not.toMatch(ENGLISH);
  for (const [match] of english.text.matchAll(/\b012345\b|https:\S+|\+\d{11}/g)) expect(text).toContain(match);
  expect(text.split('\n\n')).toHaveLength(english.text.split('\n\n').length);
});

test('uses the first supported language, and ignores an invalid tag', () => {
  const spoken = (...languages: (string | null)[]) => [
    findTemplates(languages).templates.language,
    findTemplates(languages).language,
  ];
  expect(spoken('es-US', 'en-US')).toEqual(['es', 'es-US']);
  expect(spoken('vi', 'es')).toEqual(['es', 'es']);
  expect(spoken(null, 'de')).toEqual(['en', 'en-US']);
  expect(spoken('no such tag', '', 'en-GB')).toEqual(['en', 'en-GB']);
});

test('a Spanish text message fits into one part, like an English one', () => {
  const url = 'https://care.example.test/undo#abcdefghijklmnop';
  const texts: Exclude<Message, { kind: 'nothing' }>[] = [
    { kind: 'sign_in_code', ...code, asked: { device: 'Firefox on Linux', at: asked.at } },
    { kind: 'phone_code', ...code, asked },
    { kind: 'proof_code', ...code },
    { kind: 'proof_code', ...code, code: '0123456789' },
    { kind: 'phone_in_use', ...to },
    { kind: 'phone_invitation', ...to },
    { kind: 'phone_invitation', ...to, url },
    { kind: 'payment_link', ...to, url, until: link.until },
    { kind: 'manage_link', ...to, url, until: link.until },
    { kind: 'phone_helped', ...to },
    { kind: 'phone_changed', ...to },
    { kind: 'phone_changed', ...to, url },
    { kind: 'change_undone', ...to, needs: 'password' },
    { kind: 'sign_in_paused', ...to, needs: 'clinic' },
    { kind: 'sign_in_moved', ...to },
  ];
  for (const message of texts) {
    const text = buildSms(message, 'Riverbend Clinic', 'America/New_York', '+1 (202) 555-0100', SPANISH);
    // GSM 03.38 lacks the Spanish letters á, í, ó and ú.
    expect(text).toMatch(/^[\w .,:;?!¿¡()+/#ñÑéüÜ-]*$/);
    expect(text.length).toBeLessThanOrEqual(160);
    expect(text).not.toMatch(ENGLISH);
    if ('code' in message) expect(text.startsWith(`${message.code} `)).toBe(true);
  }
  expect(() => buildSms({ kind: 'no_account', ...to }, CLINIC, 'UTC', null, SPANISH)).toThrow('no text message');
});

test('a text message is short and starts with its code', () => {
  for (const kind of ['sign_in_code', 'phone_code', 'proof_code'] as const)
    for (const digits of ['012345', '0123456789']) {
      const text = buildSms({ kind, ...code, code: digits }, 'Riverbend Clinic');
      expect(text.startsWith(`${digits} `)).toBe(true);
      expect(text.length).toBeLessThanOrEqual(160);
    }
  expect(() => buildSms({ kind: 'no_account', ...to }, CLINIC)).toThrow('no text message');
});

test('describes the request in the clinic’s time zone and UTC, without text from the client', () => {
  const at = '2026-11-21T14:05:59.000Z';
  const textFor = (asked: RequestedBy) =>
    buildEmail({ kind: 'reset_code', ...code, asked }, CLINIC, 'America/New_York').text;
  expect(textFor({ device: 'Firefox on Linux', at })).toContain(
    'It was asked for with Firefox on Linux on November 21, 2026 at 9:05 AM EST (14:05 UTC), and works only there.',
  );
  expect(textFor({ device: null, at })).toContain('with a device that did not tell its name on November 21');
  const text = (clinic: string) =>
    buildSms({ kind: 'sign_in_code', ...code, asked: { device: 'Firefox on Linux', at } }, clinic, 'America/New_York');
  expect(text('Riverbend Clinic')).toMatch(/Do not share it\. Asked for at 9:05 AM EST with Firefox on Linux\.$/);
  expect(text('Riverbend Clinic').length).toBeLessThanOrEqual(160);
  expect(text('Riverbend Clinic of the whole upper valley and its lakes')).toMatch(/Do not share it\.$/);
});

test('a code links to the clinic’s page for it, if there is one', () => {
  const url = 'https://app.example.test/confirm?a=1&b=2#token';
  for (const kind of ['confirmation_code', 'reset_code'] as const) {
    const { text, html } = buildEmail({ kind, ...code, url }, CLINIC);
    expect(text).toContain(
      `012345\n\nEnter it where you asked for it: in the app, or on this page, opened on the same device:\n\n${url}\n\n`,
    );
    expect(html).toContain(
      '<a href="https://app.example.test/confirm?a=1&amp;b=2#token">https://app.example.test/confirm</a>',
    );
    expect(html).toContain('<meta name="viewport" content="width=device-width">');
    expect(buildEmail({ kind, ...code }, CLINIC).text).not.toMatch(/page|http/);
  }
});

test('an invitation by text message has its link, if there is one', () => {
  const invitation = { kind: 'phone_invitation', to: '+12025550101' } as const;
  expect(buildSms({ ...invitation, url: 'https://app.example.test/join' }, 'Riverbend Clinic')).toMatch(
    /number: https:\/\/app\.example\.test\/join$/,
  );
  expect(buildSms(invitation, 'Riverbend Clinic')).not.toContain('http');
});
