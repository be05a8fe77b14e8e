import type { Role } from '#contract/roles.ts';

/** What each role is for, in a line next to its name. */
export const ROLE_DESCRIPTIONS: Record<Role, string> = {
  admin: 'Everything, including settings and the team.',
  practitioner: 'Sees patients: charts, notes, appointments and video visits. Starts subscriptions.',
  front_desk: 'Books appointments, keeps patients’ details and starts subscriptions. No notes.',
  billing: 'Subscriptions, payments and refunds. Sees appointments, but no charts or notes.',
  read_only: 'Sees patients, charts, notes, appointments and billing. Changes nothing.',
};
