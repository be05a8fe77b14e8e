import type { Scope } from '#contract/scopes.ts';

/** What each scope permits a server application, as a label. */
export const SCOPE_NAMES: Record<Scope, string> = {
  'patients:read': 'Read patients',
  'patients:write': 'Add and change patients',
  'patients:impersonate': 'Act as a patient',
  'subscriptions:read': 'Read subscriptions and plans',
  'subscriptions:write': 'Start and cancel subscriptions',
  'payments:refund': 'Refund payments',
  'appointments:read': 'Read appointments and free times',
  'appointments:write': 'Book, move and cancel appointments',
  'tasks:read': 'Read tasks of the team',
  'tasks:write': 'Make, change and complete tasks',
  'events:read': 'Read what happens, of what they may read',
  'webhooks:read': 'See where events are sent',
  'webhooks:write': 'Choose where events are sent',
  'webhooks:snapshot': 'Have health data sent with events',
  admin: 'Everything, settings included',
};
