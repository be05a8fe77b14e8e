import { expect, test } from 'vitest';
import type { PatientView } from '#contract/patients.ts';
import { consequencesOf, moveLabels, recordLabels, valueText } from './merge-labels.ts';

const EMPTY = {
  first_name: null,
  middle_name: null,
  last_name: null,
  birth_date: null,
  age: null,
  email: null,
  phone_number: null,
  external_id: null,
  administrative_gender: 'unknown',
  gender_identity: null,
  races: [],
  language: null,
  time_zone: null,
  metadata: {},
} as unknown as PatientView;

test.each([
  ['birth_date', { birth_date: '1984-02-29', age: 42 }, 'Feb 29, 1984 (42 years)'],
  ['phone_number', { phone_number: '+12025550147' }, '+1 (202) 555-0147'],
  ['administrative_gender', { administrative_gender: 'not_applicable' }, 'Not applicable'],
  ['gender_identity', { gender_identity: 'non_disclose' }, 'Prefers not to say'],
  [
    'races',
    {
      races: [
        { level_2_display: 'Asian', level_3_display: null },
        { level_2_display: 'White', level_3_display: 'Irish' },
      ],
    },
    'Asian, White (Irish)',
  ],
  ['language', { language: 'de-AT' }, 'Austrian German'],
  ['time_zone', { time_zone: 'America/New_York' }, 'America/New York'],
  ['metadata', { metadata: { source: 'app' } }, '{"source":"app"}'],
  ['metadata', { metadata: { text: 'x'.repeat(500) } }, `{"text":"${'x'.repeat(111)}…`],
] as const)('shows %s as on the patient’s page', (field, values, text) => {
  expect(valueText({ ...EMPTY, ...values } as PatientView, field)).toBe(text);
});

test.each(['first_name', 'birth_date', 'email', 'phone_number', 'gender_identity', 'races', 'metadata'] as const)(
  'says that %s is not on record',
  (field) => {
    expect(valueText(EMPTY, field)).toBe('Not on record');
  },
);

test('tells apart two records of one name', () => {
  const ada = {
    ...EMPTY,
    first_name: 'Ada',
    last_name: 'Example',
    birth_date: '1984-02-29',
    email: 'ada@example.test',
  };
  expect(recordLabels(ada)).toEqual(['Ada Example', 'born Feb 29, 1984', 'ada@example.test']);
  expect(recordLabels({ ...ada, external_id: 'MRN-1' })).toEqual(['Ada Example', 'born Feb 29, 1984', 'chart MRN-1']);
});

const NONE = { appointments: 0, upcoming: 0, notes: 0, tasks: 0, subscriptions: 0, payments: 0 };

test.each([
  [{}, []],
  [{ appointments: 1 }, ['1 appointment']],
  [{ appointments: 1, upcoming: 1 }, ['1 appointment, upcoming']],
  [{ appointments: 2, upcoming: 2 }, ['2 appointments, all upcoming']],
  [{ appointments: 3, upcoming: 1 }, ['3 appointments, 1 of them upcoming']],
  [{ notes: 1, tasks: 2, subscriptions: 1, payments: 12 }, ['1 note', '2 tasks', '1 subscription', '12 payments']],
])('counts what moves: %o', (moves, labels) => {
  expect(moveLabels({ ...NONE, ...moves })).toEqual(labels);
});

test('warns about what staff may have to act on', () => {
  expect(consequencesOf({ sign_in: 'none', cards: 'none', overlapping: 0 }).warnings).toEqual([]);
  expect(consequencesOf({ sign_in: 'remains', cards: 'move', overlapping: 0 })).toMatchObject({
    warnings: [],
    notes: expect.arrayContaining([expect.stringMatching(/sign-in .* stays/), expect.stringMatching(/cards .* move/)]),
  });
  expect(consequencesOf({ sign_in: 'invite', cards: 'replace', overlapping: 2 }).warnings).toEqual([
    expect.stringMatching(/Invite the patient again/),
    expect.stringMatching(/^2 upcoming appointments are/),
    expect.stringMatching(/replace/),
  ]);
  expect(consequencesOf({ sign_in: 'none', cards: 'remain', overlapping: 1 }).warnings).toHaveLength(2);
});
