/** What a staff user is to the clinic. */
export const ROLES = ['admin', 'practitioner', 'front_desk', 'billing', 'read_only'] as const;
export type Role = (typeof ROLES)[number];

/** Roles of people who may have a calendar and then see patients; only these are listed as practitioners. */
export const CARE_ROLES = ['practitioner', 'admin'] as const satisfies Role[];

/** Roles that may complete a task; only their holders are assigned one. */
export const TASK_ROLES = ['admin', 'practitioner', 'front_desk', 'billing'] as const satisfies Role[];
export type TaskRole = (typeof TASK_ROLES)[number];

/**
 * The permissions of staff, each with the roles that hold it. An administrator holds all of them. Where a permission has
 * the name of an application's scope, it covers the same requests.
 */
export const PERMISSIONS = {
  /** Find patients; see who they are, how to reach them and how they sign in. */
  'patients:read': ['practitioner', 'front_desk', 'billing', 'read_only'],
  /** Create, change, invite and archive patients, and help them to sign in. */
  'patients:write': ['practitioner', 'front_desk'],
  /** Merge two records of one patient. */
  'patients:merge': [],
  /** Read the history of a patient and of an appointment. */
  'charts:read': ['practitioner', 'front_desk', 'read_only'],
  'notes:read': ['practitioner', 'read_only'],
  'notes:write': ['practitioner'],
  'appointments:read': ['practitioner', 'front_desk', 'billing', 'read_only'],
  /** Book, move and cancel appointments, note who came, and send messages about them. */
  'appointments:write': ['practitioner', 'front_desk'],
  /** Join a video visit, let the patient in, and end it. */
  'visits:host': ['practitioner'],
  /** See plans, subscriptions with their history, cards and payments. */
  'subscriptions:read': ['practitioner', 'front_desk', 'billing', 'read_only'],
  /** Create and change subscriptions, send checkout links, and manage cards. */
  'subscriptions:write': ['practitioner', 'front_desk', 'billing'],
  'subscriptions:cancel': ['billing'],
  /** Make, change and archive plans and promotion codes. */
  'plans:write': ['billing'],
  'payments:refund': ['billing'],
  'tasks:read': ['practitioner', 'front_desk', 'billing', 'read_only'],
  /** Make, change and complete tasks. */
  'tasks:write': ['practitioner', 'front_desk', 'billing'],
  /** Attach bookings that belong to no patient yet, also to a new patient. */
  'unmatched:write': ['front_desk'],
  /** Export appointments and subscriptions as CSV. */
  'lists:export': ['billing'],
  /** Export everything that is stored of one patient. */
  'charts:export': [],
  /** See who accessed and changed which records, and export it. */
  'audit:read': [],
  'team:manage': [],
  /**
   * The clinic, its messages, integrations (also subscriptions there without a patient), applications and webhooks, and
   * the state of the system.
   */
  'settings:manage': [],
} as const satisfies Record<string, readonly Exclude<Role, 'admin'>[]>;
export type Permission = keyof typeof PERMISSIONS;

/** Practitioners hold these only where the clinic allows it. */
export const PRACTITIONER_OPTIONS = ['subscriptions:cancel', 'payments:refund', 'lists:export'] as const;
export type PractitionerOption = (typeof PRACTITIONER_OPTIONS)[number];

/** In production, holders of one of these sign in with two steps. */
export const TWO_STEP_PERMISSIONS = [
  'payments:refund',
  'lists:export',
  'charts:export',
  'audit:read',
  'team:manage',
  'settings:manage',
] as const satisfies Permission[];

/** Returns the roles that hold a permission at every clinic. */
export const rolesWith = (permission: Permission): Role[] => ['admin', ...PERMISSIONS[permission]];

/** Returns the permissions of a role; `options` are those that the clinic gives its practitioners. */
export function permissionsOf(role: Role, options: readonly string[]): Permission[] {
  return (Object.keys(PERMISSIONS) as Permission[]).filter((permission) => {
    const holders: readonly Role[] = PERMISSIONS[permission];
    const isOption = (PRACTITIONER_OPTIONS as readonly string[]).includes(permission);
    return (
      role === 'admin' ||
      holders.includes(role) ||
      (role === 'practitioner' && isOption && options.includes(permission))
    );
  });
}
