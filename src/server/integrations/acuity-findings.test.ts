import { expect, test } from 'vitest';
import type { AcuityForm } from '#server/providers/acuity-shapes.ts';
import type { ProviderAppointmentType, ProviderCalendar } from '#server/providers/scheduling-provider.ts';
import { type AcuitySettings, acuityFindings, isBookable } from './acuity-findings.ts';

const FOLLOW_UP: ProviderAppointmentType = {
  id: 21,
  name: 'Visit',
  offered: true,
  bookable: true,
  description: null,
  durationMinutes: 30,
  paddingBeforeMinutes: 0,
  paddingAfterMinutes: 0,
  calendarIds: [11, 12],
};
const REVIEW: ProviderAppointmentType = { ...FOLLOW_UP, id: 22, name: 'Review', calendarIds: [11] };
const ROWAN: ProviderCalendar = { id: 11, name: 'Rowan', timeZone: 'UTC', emails: ['rowan@example.test'] };
const ALDER: ProviderCalendar = { id: 12, name: 'Alder', timeZone: 'UTC', emails: ['alder@example.test'] };
const QUESTION = { id: 41, name: 'Location', type: 'textbox', required: false };
const LOCATION: AcuityForm = { id: 31, name: 'Location', internal: true, typeIds: [21, 22], fields: [QUESTION] };
const INTAKE: AcuityForm = {
  id: 32,
  name: 'Intake',
  internal: false,
  typeIds: [21],
  fields: [{ id: 42, name: 'Reason', type: 'textbox', required: false }],
};
const sound: AcuitySettings = {
  types: [FOLLOW_UP, REVIEW],
  calendars: [ROWAN, ALDER],
  forms: [LOCATION, INTAKE],
  signIns: new Set(['rowan@example.test', 'alder@example.test']),
};
const find = (changed: Partial<AcuitySettings>) =>
  acuityFindings({ ...sound, ...changed }, (part) => ({ label: 'Open Acuity', url: `https://acuity.test/#${part}` }));
const location = (changed: Partial<AcuityForm>) => ({ forms: [{ ...LOCATION, ...changed }, INTAKE] });
const question = (changed: Partial<typeof QUESTION>) => location({ fields: [{ ...QUESTION, ...changed }] });

test('sound settings have no findings', () => {
  expect(find({})).toEqual([]);
});

test.each<[string, Partial<AcuitySettings>, string | null, string]>([
  ['no_appointment_types', { types: [] }, null, 'no active appointment type'],
  ['no_appointment_types', { types: [{ ...FOLLOW_UP, offered: false, bookable: false }] }, null, 'no active'],
  ['type_without_name', { types: [{ ...FOLLOW_UP, name: '', bookable: false }, REVIEW] }, '21', 'has no name'],
  ['type_without_duration', { types: [{ ...FOLLOW_UP, durationMinutes: 0 }, REVIEW] }, '21', '"Visit"'],
  ['no_calendars', { calendars: [] }, null, 'no calendar'],
  ['calendar_without_time_zone', { calendars: [ROWAN, { ...ALDER, timeZone: '' }] }, '12', '"Alder"'],
  ['calendar_without_email', { calendars: [ROWAN, { ...ALDER, emails: [] }] }, '12', '"Alder"'],
  ['calendar_email_unknown', { calendars: [ROWAN, { ...ALDER, emails: ['bo@example.test'] }] }, '12', 'bo@example'],
  ['calendars_share_email', { calendars: [ROWAN, { ...ALDER, emails: ROWAN.emails }] }, '12', '"Rowan" and "Alder"'],
  ['calendar_without_type', { types: [{ ...FOLLOW_UP, calendarIds: [11] }, REVIEW] }, '12', '"Alder"'],
  ['location_form_missing', { forms: [INTAKE] }, null, 'no form named exactly "Location"'],
  ['location_form_missing', location({ name: 'location' }), '31', 'one named "location"'],
  ['location_form_missing', location({ name: 'Location ' }), '31', 'one named "Location "'],
  ['location_form_not_internal', location({ internal: false }), '31', 'shown to clients'],
  ['location_question_missing', location({ fields: [] }), '31', 'no question'],
  ['location_question_misnamed', question({ name: 'Location ' }), '31', '"Location "'],
  ['location_question_wrong_type', question({ type: 'checkbox' }), '31', 'does not take text'],
  ['location_form_not_attached', location({ typeIds: [21] }), '22', '"Review"'],
  [
    'form_with_required_question',
    { forms: [LOCATION, { ...INTAKE, fields: [{ ...INTAKE.fields[0]!, required: true }] }] },
    '32',
    '"Reason"',
  ],
])('%s is the only finding', (code, changed, id, messages) => {
  const findings = find(changed);
  expect(findings.map((finding) => finding.code)).toEqual([code]);
  expect(findings[0]).toMatchObject({
    message: expect.stringContaining(messages),
    fix: expect.any(String),
    object: { id, name: expect.any(String) },
    link: { url: expect.any(String) },
  });
});

test.each<[string, Partial<AcuitySettings>]>([
  ['no type is offered', { types: [] }],
  [
    'no type says how long it takes',
    { types: [FOLLOW_UP, REVIEW].map((type) => ({ ...type, bookable: false, durationMinutes: 0 })) },
  ],
  ['no type has the form Location', location({ typeIds: [] })],
  ['the form has no question', location({ fields: [] })],
  ['there is no calendar', { calendars: [] }],
  ['no calendar has a time zone', { calendars: [ROWAN, ALDER].map((one) => ({ ...one, timeZone: '' })) }],
  ['no type is offered on a calendar', { types: [FOLLOW_UP, REVIEW].map((type) => ({ ...type, calendarIds: [] })) }],
  [
    'another form demands an answer for each type',
    { forms: [LOCATION, { ...INTAKE, typeIds: [21, 22], fields: [{ ...INTAKE.fields[0]!, required: true }] }] },
  ],
])('nothing can be booked when %s', (_, changed) => {
  expect(isBookable({ ...sound, ...changed })).toBe(false);
  expect(find(changed)).not.toEqual([]);
});

test('something can be booked while one type or calendar is sound', () => {
  expect(isBookable(sound)).toBe(true);
  expect(isBookable({ ...sound, ...location({ typeIds: [22] }), calendars: [ROWAN] })).toBe(true);
});

test('one cause is one finding, also when it affects several types', () => {
  expect(find({ ...question({ name: 'Place' }) }).map(({ code }) => code)).toEqual(['location_question_missing']);
  expect(find({ types: [], forms: [] }).map(({ code }) => code)).toEqual(['no_appointment_types']);
  const twice = { calendars: [ROWAN, ALDER].map((one) => ({ ...one, emails: [...ROWAN.emails, ...ALDER.emails] })) };
  expect(find(twice).map(({ code }) => code)).toEqual(['calendars_share_email']);
});

test('settings that affect no booking here are no finding', () => {
  const required = [{ ...INTAKE.fields[0]!, required: true }];
  const types = [FOLLOW_UP, REVIEW, { ...REVIEW, id: 23, offered: false, bookable: false }];
  expect(find({ forms: [LOCATION, { ...INTAKE, internal: true, fields: required }] })).toEqual([]);
  expect(find({ types, forms: [LOCATION, { ...INTAKE, typeIds: [23], fields: required }] })).toEqual([]);
  expect(find({ ...question({ required: true, type: 'textarea' }) })).toEqual([]);
  const clinicToo = { calendars: [{ ...ROWAN, emails: ['desk@example.test', ...ROWAN.emails] }, ALDER] };
  expect(find(clinicToo)).toEqual([]);
});
