/** A part of a domain: what of it others may import. All that is not named is private to it. */
export type Room = {
  /** The rooms of the same domain that it may import from. */
  below: string[];
  /** For whoever may import from the domain. */
  face: string[];
  /** For the rooms above it, and for the domain's router. */
  within: string[];
};

const CODES = ['codes/count-send', 'codes/forget-codes', 'codes/issue-code', 'codes/proof-of-work'];

/** Domains that have a second level; a path is that below the room, without its ending. */
export const ROOMS: Record<string, Record<string, Room>> = {
  'server/identity': {
    // What a sign-in is made of, whoever signs in: codes, counted tries, known devices, steps that wait for the next.
    proving: {
      below: [],
      face: [
        'caller',
        'closing/in-a-row',
        'closing/reopen-sign-in',
        'failures',
        'known-device',
        'person',
        'staff-route',
      ],
      within: [
        ...CODES,
        'codes/send-counted',
        'codes/spend-code',
        'codes/try-code',
        'closing/tell-patient',
        'context-of-token',
        'in-patients-name',
        'note-failed-sign-in',
        'refuse-too-many',
        'steps',
      ],
    },
    // Passwords that never reach us, and the arithmetic for them.
    srp: {
      below: ['proving'],
      face: ['suite'],
      within: ['line', 'powers', 'refuse-weak', 'registration', 'verifier'],
    },
    // Access tokens and the keys that sign them.
    tokens: {
      below: [],
      face: ['rotate-signing-keys', 'signing-keys'],
      within: ['claims', 'client-state', 'issue-access-token', 'verify-access-token'],
    },
    // A patient who is signed in, from the first token to the last.
    sessions: {
      below: ['proving', 'tokens'],
      face: ['authenticate-bearer'],
      within: [
        'begin-session',
        'end-sessions',
        'insert-session',
        'is-session-live',
        'issue-tokens',
        'present-user',
        'refresh-session',
        'refresh-token-text',
      ],
    },
    // Who asks for a clinic: server applications, patients' apps, their websites and pages.
    applications: {
      below: ['proving', 'tokens'],
      face: ['router', 'origins/allowed-origins', 'origins/app-link', 'read-configuration-tokens'],
      within: ['configuration-token', 'find-public-client', 'origins/refuse-other-websites', 'public-clients'],
    },
    // The token endpoint, for applications and for patients' apps.
    oauth: {
      below: ['applications', 'proving', 'sessions', 'tokens'],
      face: ['answer-token-request', 'oauth-error', 'revoke-token', 'server-metadata'],
      within: [],
    },
    // How patients sign up, sign in, change how they do, and are helped.
    patients: {
      below: ['applications', 'proving', 'sessions', 'srp'],
      face: ['router', 'endpoints'],
      within: [],
    },
    // How those who work here sign in to the portal.
    staff: {
      below: ['proving'],
      face: [
        'router',
        'confirm-password',
        'end-staff-sessions',
        'is-two-step-due',
        'password',
        'request-staff-reset',
        'set-staff-password',
        'sign-in-staff',
        'staff-actor',
        'tries/reopen-portal',
        'tries/tell-staff-of-closing',
        'two-step/check-second-step',
        'two-step/recovery-codes',
        'two-step/remove-two-step',
        'two-step/totp',
      ],
      within: [],
    },
  },
  'server/scheduling': {
    // What the clinic's provider offers: types of appointments, and calendars.
    catalogue: {
      below: [],
      face: [],
      within: ['catalogue', 'known-account', 'list-appointment-types', 'list-calendars'],
    },
    // Appointments as we keep them, the times that they hold, and how they are read.
    appointments: {
      below: ['catalogue'],
      face: ['exchange-link', 'export-appointments', 'get-appointment', 'list-live-visits'],
      within: ['appointment', 'cannot-move', 'list-appointments', 'show-calendar', 'show-visit', 'staff-note'],
    },
    // Which times are free: what the provider offers, less what we hold.
    availability: {
      below: ['appointments', 'catalogue'],
      face: ['renew-times'],
      within: ['explain-availability', 'free-times', 'list-availability', 'next-availability', 'show-time-off'],
    },
    // What is booked at the provider for nobody known here, until an administrator says whose it is.
    unmatched: {
      below: ['appointments'],
      face: [],
      within: ['attach-unmatched', 'ignore-unmatched', 'list-unmatched'],
    },
    // Makes our appointments what the provider says they are, whoever changed them there.
    sync: {
      below: ['appointments', 'availability', 'catalogue'],
      face: ['acuity-webhook', 'compare-appointments', 'refresh-appointment'],
      within: ['reflect-appointment'],
    },
    // Who sees patients, in which calendars, and what is booked with them.
    practitioners: {
      below: ['catalogue'],
      face: [],
      within: ['get-practitioner', 'list-practitioners', 'show-care-team'],
    },
    // What is asked of the provider: an appointment is booked, rescheduled or canceled, and never done twice.
    booking: {
      below: ['sync', 'appointments', 'availability', 'catalogue'],
      face: ['cancel-appointment', 'resolve-appointment'],
      within: ['book-appointment', 'mark-no-show', 'reschedule-appointment'],
    },
  },
  'server/subscriptions': {
    // Subscriptions as we keep them, who may see what of them, and how they are listed.
    records: {
      below: [],
      face: ['subscription', 'export-subscriptions'],
      within: ['list-subscriptions', 'open-to-patients'],
    },
    // Makes our copy what Stripe says now.
    sync: {
      below: ['records'],
      face: ['sync-subscription'],
      within: ['asked-change', 'attach-subscription', 'get-subscription'],
    },
    // A patient is subscribed, once, however often it is asked for.
    create: {
      below: ['records', 'sync'],
      face: ['intent', 'list-live-subscriptions'],
      within: ['create-checkout-session', 'create-subscription'],
    },
    cancel: {
      below: ['records', 'sync'],
      face: ['cancel-subscription'],
      within: [],
    },
    // What a subscription consists of is changed, and what that would cost.
    change: {
      below: ['records', 'sync'],
      face: [],
      within: ['preview-change', 'update-subscription'],
    },
    // What was billed, paid, given back and disputed.
    payments: {
      below: ['records', 'sync'],
      face: ['sync-payments'],
      within: ['list-payments', 'refund-payment'],
    },
    // The page where a patient pays or saves a card, and the link to it.
    checkout: {
      below: ['records', 'sync'],
      face: ['checkout-mail'],
      within: ['create-checkout-link', 'list-checkout-links', 'live-link', 'open-checkout', 'redeem-code'],
    },
    // The page where a patient sees one subscription and changes it, and the link to it.
    manage: {
      below: ['checkout', 'records', 'sync'],
      face: [],
      within: ['create-manage-link', 'managed-subscription'],
    },
    // What Stripe tells by itself.
    'stripe-events': {
      below: ['create', 'payments', 'records', 'sync'],
      face: ['apply-stripe-events', 'stripe-webhook'],
      within: [],
    },
  },
};

/** The portal's folders from the lowest up: one may import those below it, none beside it. */
export const PORTAL_TIERS = [
  ['clinic', 'credentials', 'event-names', 'inbox', 'live', 'plans', 'shell', 'sign-in'],
  // A resource.
  [
    'account',
    'manage-link',
    'message-choices',
    'message-settings',
    'patients',
    'practitioners',
    'story',
    'team',
    'visit-messages',
  ],
  ['unmatched'],
  ['appointments', 'care', 'integrations', 'patient-sign-in', 'subscriptions', 'webhooks'],
  ['audit', 'events'],
  // Pages that put several together.
  ['calendar', 'frame', 'patient-record', 'system', 'today'],
];

/** The folders of patients' pages in the same order: the frame, the pages, and the page that reuses the checkout's card fields. */
export const PATIENT_TIERS = [
  ['frame'],
  ['checkout', 'choices', 'confirm-email', 'invitation', 'new-devices', 'undo-change', 'visit'],
  ['manage'],
];

const isWithin = (place: string, zone: string) => place === zone || place.startsWith(`${zone}/`);

/** The domain and the room that a place under src lies in, or null where there are none. */
export function roomOf(place: string): { domain: string; name: string; room: Room } | null {
  for (const [domain, rooms] of Object.entries(ROOMS))
    for (const [name, room] of Object.entries(rooms))
      if (isWithin(place, `${domain}/${name}`)) return { domain, name, room };
  return null;
}

/** Files that may import every room of a domain: its router, and what builds the services. */
const standsAbove = (place: string, domain: string) =>
  [`${domain}/router.ts`, `${domain}/services.ts`, 'server/services.ts'].includes(place);

/** @returns whether a place may import a target for all that the target's room says; tests set up what is private */
export function mayEnter(place: string, target: string): boolean {
  const there = roomOf(target);
  if (!there) return true;
  const here = roomOf(place);
  const isNeighbour = here?.domain === there.domain || standsAbove(place, there.domain);
  if (here?.domain === there.domain && here.name === there.name) return true;
  const open = isNeighbour ? [...there.room.face, ...there.room.within] : there.room.face;
  return open.some((path) => target.replace(/\.tsx?$/, '') === `${there.domain}/${there.name}/${path}`);
}
