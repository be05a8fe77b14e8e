/** Permissions of a server application. `admin` includes all other scopes. */
export const SCOPES = [
  'patients:read',
  'patients:write',
  'patients:impersonate',
  'subscriptions:read',
  'subscriptions:write',
  'payments:refund',
  'appointments:read',
  'appointments:write',
  'tasks:read',
  'tasks:write',
  'events:read',
  'webhooks:read',
  'webhooks:write',
  'webhooks:snapshot',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];
