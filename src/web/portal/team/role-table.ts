import {
  type Permission,
  PRACTITIONER_OPTIONS,
  type PractitionerOption,
  permissionsOf,
  ROLES,
  type Role,
  TWO_STEP_PERMISSIONS,
} from '#contract/roles.ts';

type Group = { heading: string; labels: Partial<Record<Permission, string>> };

/** Permissions in words of a clinic; each is the end of a sentence "They may …". */
export const PERMISSION_GROUPS: Group[] = [
  {
    heading: 'Patients',
    labels: {
      'patients:read': 'Find patients, and see how to reach them',
      'patients:write': 'Add, change, invite and archive patients, and help them to sign in',
      'patients:merge': 'Merge two records of one patient',
      'charts:read': 'Read charts: what happened with a patient and in an appointment, and when',
      'notes:read': 'Read notes about patients and appointments',
      'notes:write': 'Write notes about patients and appointments',
      'charts:export': 'Export everything that is stored about a patient',
    },
  },
  {
    heading: 'Appointments',
    labels: {
      'appointments:read': 'See appointments and the calendar',
      'appointments:write': 'Book, move and cancel appointments, note who came, and send messages',
      'visits:host': 'Hold video visits',
      'tasks:read': 'See tasks',
      'tasks:write': 'Make, change and complete tasks',
      'unmatched:write': 'Match bookings that belong to no patient yet, or add the patient',
    },
  },
  {
    heading: 'Billing',
    labels: {
      'subscriptions:read': 'See plans, subscriptions and what happened to them, cards and payments',
      'subscriptions:write': 'Start and change subscriptions, send payment links, and change cards',
      'subscriptions:cancel': 'Cancel subscriptions, and give patients the link to manage one',
      'plans:write': 'Make, change and archive plans and promotion codes',
      'payments:refund': 'Refund payments',
      'lists:export': 'Export lists of appointments and subscriptions',
    },
  },
  {
    heading: 'Administration',
    labels: {
      'team:manage': 'Invite colleagues, and choose what they may do',
      'settings:manage': 'Change settings: the clinic, its messages, integrations and API credentials',
      'audit:read': 'See who opened and changed which records',
    },
  },
];

/** `option` is set where the clinic decides whether the role holds the permission. */
export type RoleCell = { role: Role; isHeld: boolean; option?: PractitionerOption };
export type RoleRow = { permission: Permission; label: string; cells: RoleCell[] };

const isOption = (permission: Permission): permission is PractitionerOption =>
  (PRACTITIONER_OPTIONS as readonly string[]).includes(permission);

/** Returns who may do what while the clinic allows its practitioners `options`. */
export function roleTable(options: readonly PractitionerOption[]): { heading: string; rows: RoleRow[] }[] {
  const held = new Map(ROLES.map((role) => [role, permissionsOf(role, options)]));
  return PERMISSION_GROUPS.map(({ heading, labels }) => ({
    heading,
    rows: (Object.entries(labels) as [Permission, string][]).map(([permission, label]) => ({
      permission,
      label,
      cells: ROLES.map((role) => ({
        role,
        isHeld: held.get(role)?.includes(permission) ?? false,
        ...(role === 'practitioner' && isOption(permission) && { option: permission }),
      })),
    })),
  }));
}

/** Whether staff who hold it sign in with two steps in production. */
export const needsTwoSteps = (permission: Permission): boolean =>
  (TWO_STEP_PERMISSIONS as readonly Permission[]).includes(permission);

/** Returns the options with one of them added or removed. */
export const withOption = (options: readonly PractitionerOption[], option: PractitionerOption, isOn: boolean) =>
  PRACTITIONER_OPTIONS.filter((each) => (each === option ? isOn : options.includes(each)));

/** "Practitioners may refund payments" */
export const practitionersMay = (label: string, adverb = ''): string =>
  `Practitioners may ${adverb && `${adverb} `}${label.charAt(0).toLowerCase()}${label.slice(1)}`;
