import { expect, test } from 'vitest';
import { type AcuitySettings, findAcuityFaults } from './find-acuity-faults.ts';

const type = (id: number, name: string) => ({
  id,
  name,
  bookable: true,
  description: null,
  durationMinutes: 30,
  paddingBeforeMinutes: 0,
  paddingAfterMinutes: 0,
  calendarIds: [11],
});
const calendar = { id: 11, name: 'Rowan Example', timeZone: 'UTC', emails: ['rowan@example.test'] };
const location = { id: 31, name: 'Location', internal: true, typeIds: [21], fields: [{ id: 41, name: 'Location' }] };
const sound: AcuitySettings = { types: [type(21, 'Visit')], calendars: [calendar], forms: [location] };
const codes = (settings: Partial<AcuitySettings>) => findAcuityFaults({ ...sound, ...settings }).map((f) => f.code);

test('sound settings have no findings', () => {
  expect(codes({})).toEqual([]);
});

test.each([
  ['attached to another type', { ...location, typeIds: [22] }],
  ['named in lower case', { ...location, name: 'location' }],
  ['with a misnamed question', { ...location, fields: [{ id: 41, name: 'Location ' }] }],
])('a Location form %s is named with the type that lacks it', (_, form) => {
  const [finding] = findAcuityFaults({ ...sound, forms: [form] });
  expect(finding).toMatchObject({ code: 'location_form_missing', message: expect.stringContaining('"Visit"') });
});

test('what else may be wrong is told too', () => {
  expect(codes({ calendars: [{ ...calendar, emails: [] }] })).toEqual(['calendar_without_email']);
  expect(codes({ calendars: [calendar, { ...calendar, id: 12 }] })).toEqual(['calendar_without_type']);
  expect(codes({ forms: [{ ...location, internal: false }] })).toEqual(['location_form_not_internal']);
  expect(codes({ types: [] })).toContain('no_appointment_types');
});
