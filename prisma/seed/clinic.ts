/** All names are obviously fictional. */
export const CLINIC = { name: 'Riverbend Clinic', timeZone: 'America/New_York' };

/** One of each role. The practitioner's email matches a calendar of the Acuity emulator's clinic. */
export const STAFF = [
  { email: 'admin@riverbend.example.test', name: 'Willow Example', role: 'admin' as const },
  { email: 'rowan.example@riverbend.example.test', name: 'Rowan Example', role: 'practitioner' as const },
  { email: 'desk@riverbend.example.test', name: 'Briar Example', role: 'front_desk' as const },
  { email: 'billing@riverbend.example.test', name: 'Sage Example', role: 'billing' as const },
  { email: 'reader@riverbend.example.test', name: 'Fern Example', role: 'read_only' as const },
];

/** The staff users of the other calendars. Their passwords are not printed, so that the card stays short. */
export const COLLEAGUES = ['Juniper', 'Alder'].map((name) => ({
  email: `${name.toLowerCase()}.example@riverbend.example.test`,
  name: `${name} Example`,
  role: 'practitioner' as const,
}));

type Plan = {
  name: string;
  description: string;
  /** Cents. */
  unit_amount: number;
  interval: 'month' | 'year';
  metadata: Record<string, string>;
};

export const PLANS: Plan[] = [
  {
    name: 'Essential care',
    description: 'Two video visits a month and messages with your care team.',
    unit_amount: 4900,
    interval: 'month',
    metadata: {},
  },
  {
    name: 'Complete care',
    description: 'Unlimited video visits, with two weeks to try it.',
    unit_amount: 9900,
    interval: 'month',
    metadata: { trial_period_in_days: '14' },
  },
  {
    name: 'Essential care, yearly',
    description: 'Twelve months for the price of ten.',
    unit_amount: 49_000,
    interval: 'year',
    metadata: {},
  },
];

export const PATIENTS = [
  { first_name: 'Hazel', last_name: 'Example', birth_date: '1984-04-12', tag_list: ['new'] },
  { first_name: 'Linden', last_name: 'Sample', birth_date: '1991-11-03', tag_list: ['follow-up'] },
  { first_name: 'Ivy', last_name: 'Specimen', birth_date: '1976-07-29', tag_list: [] },
  { first_name: 'Aspen', last_name: 'Placeholder', birth_date: '2001-02-28', tag_list: ['remote'] },
  { first_name: 'Laurel', last_name: 'Fictional', birth_date: '1968-09-17', tag_list: ['follow-up', 'remote'] },
  { first_name: 'Cedar', last_name: 'Imaginary', birth_date: '1959-12-24', tag_list: [] },
  { first_name: 'Clover', last_name: 'Testcase', birth_date: '1996-02-29', tag_list: ['new'] },
  { first_name: 'Sorrel', last_name: 'Invented', birth_date: '1988-06-06', tag_list: [] },
];
