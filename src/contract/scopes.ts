/** What a server application may be allowed to do. `admin` includes every other scope. */
export const SCOPES = [
  'patients:read',
  'patients:write',
  'patients:impersonate',
  'subscriptions:read',
  'subscriptions:write',
  'payments:refund',
  'appointments:read',
  'appointments:write',
  'events:read',
  'webhooks:read',
  'webhooks:write',
  'webhooks:snapshot',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];
