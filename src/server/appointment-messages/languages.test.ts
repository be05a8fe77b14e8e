import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS, MessageSettings } from '#contract/message-settings.ts';
import { DEFAULT_TEMPLATES, MESSAGE_KINDS } from '#contract/message-templates.ts';
import { SEED } from '#dev/testing/seed.ts';
import { type MessageData, renderMessage } from './compose-message.ts';

const ZONES = Intl.supportedValuesOf('timeZone');
const GERMAN = { subject: 'Ihr Besuch am {date}', body: 'Guten Tag {name}: {date}, {time}, {before}', text: '{time}' };
const SPANISH = { subject: 'Su visita el {date}', body: 'Hola {name}: {date}, {time}, {before}', text: '{time}' };
const settings: MessageSettings = {
  ...DEFAULT_SETTINGS,
  translations: [
    {
      language: 'de',
      words: Object.fromEntries(MESSAGE_KINDS.map((kind) => [kind, GERMAN])),
      small: { nameless: 'Sie da', earlier: 'ein anderer Termin', entry: 'Besuch bei {clinic}' },
    },
    { language: 'es-MX', words: { reminder: SPANISH }, small: {} },
  ],
};
const messageData = (more: Partial<MessageData>): MessageData => ({
  ...{ kind: 'reminder', startAt: new Date('2026-11-23T14:00Z'), wasAt: null, timeZone: 'Europe/Berlin' },
  ...{
    language: null,
    firstName: 'Ada',
    link: 'https://x.example/visit/1',
    test: null,
    place: null,
    type: 'Visit',
    practitioner: 'Rowan',
    reason: null,
  },
  ...more,
});
const render = (more: Partial<MessageData>, by = settings) =>
  renderMessage(messageData(more), by, { clinic: 'Riverbend', phone: null });

describe('a message is written', () => {
  test.each([
    ['de', 'Ihr Besuch am Montag, 23. November 2026', '15:00 MEZ'],
    // In the reader's regional variant, when the translation has only the language.
    ['de-AT', 'Ihr Besuch am Montag, 23. November 2026', '15:00 MEZ'],
    ['es-MX', 'Su visita el lunes, 23 de noviembre de 2026', '3:00 p.m. GMT+1'],
    ['es-US', 'Su visita el lunes, 23 de noviembre de 2026', '3:00 p.m. GMT+1'],
    [null, 'Riverbend: reminder of your appointment on Monday, November 23, 2026', /at 3:00 PM GMT\+1/],
    ['en-GB', 'Riverbend: reminder of your appointment on Monday, 23 November 2026', /at 15:00 CET/],
    // Without a French translation everything is in the tenant's language, dates included.
    ['fr', 'Riverbend: reminder of your appointment on Monday, November 23, 2026', /at 3:00 PM GMT\+1/],
  ])('for a reader of %s', (language, subject, text) => {
    const rendered = render({ language });
    expect(rendered.subject).toBe(subject);
    expect(rendered.text.replaceAll('\u00a0', ' ')).toEqual(
      typeof text === 'string' ? text : expect.stringMatching(text),
    );
  });

  test("in the tenant's language when a translation lacks this message", () => {
    const rendered = render({ language: 'es', kind: 'cancellation' });
    expect([rendered.language, rendered.subject]).toEqual([
      'en-US',
      'Riverbend: your appointment on Monday, November 23, 2026 is canceled',
    ]);
  });

  test('with the short labels of its language', () => {
    const rendered = render({ language: 'de', kind: 'move', firstName: null });
    expect(rendered.body).toBe('Guten Tag Sie da: Montag, 23. November 2026, 15:00 MEZ, ein anderer Termin');
    expect(rendered.small.entry).toBe('Besuch bei Riverbend');
    expect(rendered.small.choices).toMatch(/^To choose/);
  });

  test("with dates in the tenant's language", () => {
    const german = { ...DEFAULT_SETTINGS, language: 'de', words: { reminder: GERMAN } };
    expect(render({}, german).subject).toBe('Ihr Besuch am Montag, 23. November 2026');
    expect(render({ language: 'fr' }, german).subject).toBe('Ihr Besuch am Montag, 23. November 2026');
  });
});

test("a year of messages in every zone: text and dates share one language, in the patient's time zone", () => {
  const readers = [null, 'en-US', 'en-GB', 'de', 'de-CH', 'es', 'es-MX', 'fr', 'zh-Hant', 'ar', 'he'];
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom(...readers),
      fc.constantFrom(...MESSAGE_KINDS),
      fc.integer({ min: 0, max: 365 * 96 }),
      (timeZone, language, kind, quarters) => {
        const startAt = new Date(Date.UTC(2026, 0, 1) + quarters * 900_000);
        const rendered = render({ timeZone, language, kind, startAt });
        const isGerman = language?.startsWith('de') ?? false;
        const isSpanish = (language?.startsWith('es') ?? false) && kind === 'reminder';
        const isEnglish = !isGerman && !isSpanish;
        expect(/^Ihr/.test(rendered.subject)).toBe(isGerman);
        expect(/^Su/.test(rendered.subject)).toBe(isSpanish);
        expect(/^Riverbend/.test(rendered.subject)).toBe(isEnglish);
        // Formats the day with another API of the platform.
        const day = Temporal.Instant.fromEpochMilliseconds(startAt.getTime())
          .toZonedDateTimeISO(timeZone)
          .toPlainDate();
        const reads = isEnglish && !language?.startsWith('en') ? 'en-US' : language!;
        const words = day.toLocaleString(reads, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' });
        expect(rendered.subject).toContain(words);
      },
    ),
    { numRuns: process.env.PROVE ? 20 * ZONES.length : 2 * ZONES.length, seed: SEED },
  );
}, 600_000);

describe('settings are rejected', () => {
  const of = (more: object) =>
    MessageSettings.safeParse({ ...settings, ...more }).error?.issues.map(({ path, message }) => [
      path.join('.'),
      message,
    ]);
  const german = settings.translations[0]!;
  test.each<[string, object, string, RegExp]>([
    ['with a language twice', { translations: [german, german] }, 'translations.1.language', /once/],
    ['with a translation for the tenant’s own language', { language: 'DE' }, 'translations.0.language', /once/],
    ['with an invalid language', { language: 'klingon' }, 'language', /BCP 47/],
    [
      'with an unknown field',
      { translations: [{ ...german, words: { move: { ...GERMAN, body: '{diagnosis}' } } }] },
      ...(['translations.0.words.move.body', /no field/] as [string, RegExp]),
    ],
    [
      'with a field that contains health data',
      { translations: [{ ...german, words: { move: { ...DEFAULT_TEMPLATES.move, text: '{type}' } } }] },
      ...(['translations.0.words.move.text', /health/] as [string, RegExp]),
    ],
    [
      'with HTML',
      { translations: [{ ...german, small: { choices: '<b>here</b>' } }] },
      ...(['translations.0.small.choices', /HTML/] as [string, RegExp]),
    ],
    ['with a field in the short labels', { small: { entry: '{name}' } }, 'small.entry', /cannot stand/],
    ['with 10,000 letters', { small: { nameless: 'x'.repeat(10_000) } }, 'small.nameless', /at most 150/],
  ])('%s', (_, more, path, message) => {
    expect(of(more)).toEqual([[path, expect.stringMatching(message)]]);
  });

  test('except when they are saved unchanged', () => {
    expect(MessageSettings.parse(settings)).toEqual(settings);
  });
});

test('the reason of a cancellation stands in the email where it is allowed and told, and leaves nothing behind elsewhere', () => {
  const allowed = { ...DEFAULT_SETTINGS, says_reason: true };
  const canceled = { kind: 'cancellation', reason: 'Burst\npipe {link}' } as const;
  const told = render(canceled, allowed);
  expect(told.body).toMatch(/calendar\.\n\nThe reason: Burst pipe {link}$/);
  expect(told.subject + told.text).not.toContain('Burst');
  for (const { body } of [render({ ...canceled, reason: null }, allowed), render(canceled, DEFAULT_SETTINGS)])
    expect(body).toMatch(/calendar\.$/);
  // The paragraph that introduces it goes with it.
  const body = 'A\n\nBecause of this:\n\n{ reason }\n\nB';
  const own = { ...allowed, words: { cancellation: { ...DEFAULT_TEMPLATES.cancellation, body } } };
  expect(render({ ...canceled, reason: null }, own).body).toBe('A\n\nB');
  expect(render({ ...canceled, reason: 'Snow' }, own).body).toBe('A\n\nBecause of this:\n\nSnow\n\nB');
});
