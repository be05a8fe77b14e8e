import { AUDIT_ACTIONS, type AuditAction, storedActions } from './audit-actions.ts';
import type { EventName } from './event-types.ts';

/** What an entry is about, for the filter of the audit log. */
export const AUDIT_KINDS = [
  'charts',
  'patients',
  'notes',
  'tasks',
  'appointments',
  'visits',
  'messages',
  'subscriptions',
  'payments',
  'plans',
  'sign_ins',
  'account',
  'team',
  'applications',
  'tokens',
  'events',
  'webhooks',
  'settings',
  'audit',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

type ResourceOf<Action> = Action extends `${infer Resource}.${string}` ? Resource : never;

const KIND_OF_RESOURCE: Record<ResourceOf<AuditAction>, AuditKind> = {
  account: 'account',
  address_changes: 'sign_ins',
  applications: 'applications',
  appointment_messages: 'messages',
  appointments: 'appointments',
  audit: 'audit',
  calendar_feed: 'appointments',
  cards: 'payments',
  checkout: 'payments',
  clinic: 'settings',
  events: 'events',
  inbox: 'messages',
  integrations: 'settings',
  invitations: 'sign_ins',
  manage_links: 'subscriptions',
  message_choices: 'messages',
  message_settings: 'settings',
  notes: 'notes',
  patients: 'patients',
  payments: 'payments',
  plans: 'plans',
  scheduling: 'appointments',
  sessions: 'sign_ins',
  sign_ins: 'sign_ins',
  subscriptions: 'subscriptions',
  system: 'settings',
  tasks: 'tasks',
  team: 'team',
  timeline: 'charts',
  tokens: 'tokens',
  users: 'sign_ins',
  visits: 'visits',
  webhooks: 'webhooks',
};

/** Actions that are of another kind than their resource. */
const KIND_OF_ACTION: Partial<Record<AuditAction, AuditKind>> = {
  'appointments.set_note': 'notes',
  'checkout.redeem_code': 'plans',
  'manage_links.start_card': 'payments',
  'manage_links.use_card': 'payments',
  'patients.change_password': 'sign_ins',
  'patients.complete_invitation': 'sign_ins',
  'patients.confirm': 'sign_ins',
  'patients.confirm_address': 'sign_ins',
  'patients.get': 'charts',
  'patients.get_own': 'charts',
  'patients.impersonate': 'tokens',
  'patients.invite': 'sign_ins',
  'patients.lock_sign_in': 'sign_ins',
  'patients.replace_password': 'sign_ins',
  'patients.reset_password': 'sign_ins',
  'patients.sign_up': 'sign_ins',
  'patients.unlock_sign_in': 'sign_ins',
};

/**
 * Events of payments. They are recorded with the subscription that is paid, but an entry with one of them is of the kind
 * `payments`, with any action.
 */
export const PAYMENT_EVENTS: readonly EventName[] = [
  'subscription.payment_succeeded',
  'subscription.payment_failed',
  'subscription.payment_action_required',
  'subscription.refunded',
  'subscription.disputed',
];

/** Returns the kind of an action's entries without an event of a payment. */
export const kindOf = (action: AuditAction): AuditKind =>
  KIND_OF_ACTION[action] ?? KIND_OF_RESOURCE[action.slice(0, action.indexOf('.')) as ResourceOf<AuditAction>];

/** Returns all names under which entries of a kind's actions are stored. */
export const actionsOfKind = (kind: AuditKind): string[] =>
  storedActions(AUDIT_ACTIONS.filter((action) => kindOf(action) === kind));
