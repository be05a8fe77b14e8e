import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, type MessageSettings } from '#contract/message-settings.ts';
import { DEFAULT_TEMPLATES, MESSAGE_KINDS, type MessageKind } from '#contract/message-templates.ts';
import type { EmailBranding } from '#server/clinic/email-branding.ts';
import { newLinkToken } from '#server/core/ids.ts';
import { type ComposeInput, composeMail, composeText } from './compose-message.ts';

const OWN_URL = 'https://carelane.example.test';
const EXTERNAL_URL = 'https://video.example.test/rooms';
const TOKEN = 'A'.repeat(22);
const TENANT = '01981e2a-6f00-7000-8000-000000000001';
const TEST_PAGE = `${OWN_URL}/visit/test#${TOKEN}`;
const BRANDING = {
  ...{ clinic: 'Riverbend', logo: null, colour: null, phone: null, email: null, termsUrl: null, privacyUrl: null },
  timeZone: 'America/New_York',
} as unknown as EmailBranding;

const ctxOf = (videoBaseUrl: string) =>
  ({
    config: { publicUrl: OWN_URL, videoBaseUrl, mail: null },
    clock: { now: () => new Date('2026-11-23T14:00:00Z') },
  }) as unknown as Parameters<typeof composeMail>[0];
const composing = (kind: MessageKind, settings: MessageSettings = DEFAULT_SETTINGS): ComposeInput => ({
  ...{ kind, sequence: 0, wasAt: new Date('2026-11-24T14:00:00Z'), reason: null, settings, branding: BRANDING },
  appointment: {
    ...{ id: 'visit-1', appointmentType: 'Follow-up', calendar: 'Rowan Example', videoToken: TOKEN },
    ...{ startAt: new Date('2026-11-25T14:00:00Z'), endAt: new Date('2026-11-25T14:30:00Z') },
    timeZone: 'America/New_York',
    patient: { firstName: 'Ada', timeZone: null, language: null, email: null },
  } as unknown as ComposeInput['appointment'],
});
const mailOf = (videoBaseUrl: string, of: ComposeInput) => {
  const { text, html } = composeMail(ctxOf(videoBaseUrl), of, 'ada@example.test', null);
  return `${text}\n${html}`;
};

/** The paragraphs of the email before the clinic's name. */
function paragraphsOf(ctx: ReturnType<typeof ctxOf>, of: ComposeInput) {
  const { text, html } = composeMail(ctx, of, 'ada@example.test', null);
  const words = text.split('\n\n').slice(0, -1);
  return words.map((one) => ({ words: one, isLink: html.includes(`<p><a href="${one}">`) }));
}

test.each<MessageKind>(['confirmation', 'reminder'])(
  'a %s links to the built-in test page when the video page is built in',
  (kind) => {
    const mail = mailOf(`${OWN_URL}/visit`, composing(kind));
    expect(mail).toContain(TEST_PAGE);
    expect(mail).toContain('To check your camera, microphone and connection');
    expect(paragraphsOf(ctxOf(`${OWN_URL}/visit`), composing(kind))).toContainEqual({ words: TEST_PAGE, isLink: true });
  },
);

test.each(MESSAGE_KINDS)('a %s has no test link and no gap for it when the video page is external', (kind) => {
  const mail = mailOf(EXTERNAL_URL, composing(kind));
  expect(mail).not.toMatch(/visit\/test|\{|camera, microphone and connection/);
  const paragraphs = paragraphsOf(ctxOf(EXTERNAL_URL), composing(kind));
  expect(paragraphs.filter(({ words }) => words.trim() === '')).toEqual([]);
  for (const [at, { words }] of paragraphs.entries())
    if (words.endsWith(':')) expect(paragraphs[at + 1], `what “${words}” leads to`).toMatchObject({ isLink: true });
  if (DEFAULT_TEMPLATES[kind].body.includes('{link}')) expect(mail).toContain(`${EXTERNAL_URL}/${TOKEN}`);
});

test("a tenant's own message loses only the paragraph of the test link", () => {
  const body = 'Hello {name}.\n\nTry it out:\n\n{ test }\n\nJoin here:\n\n{link}\n\nUntil then.';
  const words = { reminder: { ...DEFAULT_TEMPLATES.reminder, body, text: '{date}: {link}' } };
  const of = composing('reminder', { ...DEFAULT_SETTINGS, words });
  expect(paragraphsOf(ctxOf(EXTERNAL_URL), of).map((one) => one.words)).toEqual([
    'Hello Ada.',
    'Join here:',
    `${EXTERNAL_URL}/${TOKEN}`,
    'Until then.',
  ]);
  expect(composeText(ctxOf(EXTERNAL_URL), of)).toContain(`${EXTERNAL_URL}/${TOKEN}`);
});

test.each(MESSAGE_KINDS)('a %s of an appointment at an address names it, and no video page', (kind) => {
  const of = composing(kind);
  Object.assign(of.appointment, { location: '12 Lake Road', tenantId: TENANT });
  const mail = mailOf(`${OWN_URL}/visit`, of);
  expect(mail).not.toMatch(/by video|\/visit|\{|camera, microphone and connection/);
  const paragraphs = paragraphsOf(ctxOf(`${OWN_URL}/visit`), of);
  for (const { words } of paragraphs) expect(words).not.toMatch(/:$/);
  if (kind !== 'cancellation') {
    expect(paragraphs).toContainEqual({ words: '12 Lake Road', isLink: false });
    expect(composeText(ctxOf(`${OWN_URL}/visit`), of)).toMatch(/ 12 Lake Road$/);
  }
  const { calendar } = composeMail(ctxOf(`${OWN_URL}/visit`), of, 'ada@example.test', null);
  if (kind !== 'reminder') expect(calendar?.content).toMatch(/LOCATION:12 Lake Road\r\n/);
  expect(calendar?.content ?? '').not.toContain('/visit');
});

test('an appointment on another video page than the clinic’s links to that page', () => {
  const of = composing('confirmation');
  Object.assign(of.appointment, { location: 'https://meet.example.test/42', tenantId: TENANT });
  const paragraphs = paragraphsOf(ctxOf(`${OWN_URL}/visit`), of);
  expect(paragraphs.filter(({ isLink }) => isLink)).toEqual([{ words: 'https://meet.example.test/42', isLink: true }]);
});

test('an appointment whose place is an earlier form of its video link is by video', () => {
  const of = composing('confirmation');
  const token = newLinkToken(TENANT);
  Object.assign(of.appointment, { location: `${OWN_URL}/visit/${token}`, tenantId: TENANT });
  expect(mailOf(`${OWN_URL}/visit`, of)).toContain('To join by video');
});

const DAY = 'Wednesday, November 25, 2026';
test.each([
  ['It is on {date}. To join by video, open:\n\n{link}\n\nBye.', [`It is on ${DAY}.`, '12 Lake Road', 'Bye.']],
  ['On {date}. Test before:\n\n{test}\n\n{link}', [`On ${DAY}.`, '12 Lake Road']],
  ['Date: {date}\nLink: {link}\nTest: {test}\nBye.', [`Date: ${DAY}\nLink: 12 Lake Road\nBye.`]],
  ['Link: {link} (test: {test})', ['Link: 12 Lake Road (test: )']],
])('a text of the clinic’s own keeps all that it says besides the video page: %j', (body, expected) => {
  const words = { reminder: { ...DEFAULT_TEMPLATES.reminder, body } };
  const of = composing('reminder', { ...DEFAULT_SETTINGS, words });
  Object.assign(of.appointment, { location: '12 Lake Road', tenantId: TENANT });
  expect(paragraphsOf(ctxOf(`${OWN_URL}/visit`), of).map((one) => one.words)).toEqual(expected);
});

test.each([
  ['On {date} is canceled. The reason: {reason}', [`On ${DAY} is canceled.`]],
  ['On {date} is canceled. The reason:\n\n{reason}', [`On ${DAY} is canceled.`]],
  ['Hello {name}, {date} is canceled because: {reason}', [`Hello Ada, ${DAY} is canceled because:`]],
])('a reason that is not told takes nothing else out of a cancellation: %j', (body, expected) => {
  const words = { cancellation: { ...DEFAULT_TEMPLATES.cancellation, body } };
  const of = composing('cancellation', { ...DEFAULT_SETTINGS, words });
  expect(paragraphsOf(ctxOf(`${OWN_URL}/visit`), of).map((one) => one.words)).toEqual(expected);
});

test('a long address is shortened in a text message, a link is not, and a blank place is none', () => {
  const textOf = (location: string) => {
    const of = composing('confirmation');
    Object.assign(of.appointment, { location, tenantId: TENANT });
    return composeText(ctxOf(`${OWN_URL}/visit`), of);
  };
  expect(textOf('x'.repeat(2000)).length).toBeLessThan(220);
  expect(textOf(`https://rooms.example.test/${'x'.repeat(150)}`)).toMatch(/x{150}$/);
  expect(textOf(' \n')).toContain('/visit#');
});
