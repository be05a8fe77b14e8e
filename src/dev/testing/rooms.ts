/** A module of a domain, and the files that others may import from it. All other files are private. */
export type Room = {
  /** Modules of the same domain that it may import from. */
  below: string[];
  /** Files for the modules above it, for the domain's router, and for its `index.ts`. */
  within: string[];
};

const CODES = ['codes/count-send', 'codes/issue-code'];

/** Domains with modules; paths are relative to the module, without extension. */
export const ROOMS: Record<string, Record<string, Room>> = {
  'server/identity': {
    // Shared by patient and staff sign-in: codes, counted attempts, known devices, multi-step tokens.
    verification: {
      below: [],
      within: [
        'caller',
        'lockout/end-lockout',
        'failures',
        'known-device',
        'person',
        ...CODES,
        'codes/consume-code',
        'codes/verify-code',
        'lockout/notify-patient',
        'request-context',
        'steps',
      ],
    },
    // SRP: password verification without a password on the server.
    srp: {
      below: ['verification'],
      within: ['suite', 'work-queue', 'powers', 'reject-weak-password', 'registration', 'verifier'],
    },
    // Access tokens and the keys that sign them.
    tokens: {
      below: [],
      within: ['signing-keys', 'claims', 'client-state', 'issue-access-token', 'verify-access-token'],
    },
    // A patient's session, from the first token to the last.
    sessions: {
      below: ['verification', 'tokens'],
      within: [
        'authenticate-bearer',
        'begin-session',
        'end-sessions',
        'is-session-live',
        'issue-tokens',
        'present-user',
        'refresh-session',
      ],
    },
    // A clinic's clients: server applications, patient apps, their websites and pages.
    applications: {
      below: ['verification', 'tokens'],
      within: ['router', 'origins/allowed-origins', 'origins/app-link', 'get-configuration-tokens', 'public-client'],
    },
    // The token endpoint, for applications and patient apps.
    oauth: {
      below: ['applications', 'verification', 'sessions', 'tokens'],
      within: ['handle-token-request', 'oauth-error', 'revoke-token', 'server-metadata'],
    },
    // Patient sign-up, sign-in, changes of credentials, and help with sign-in.
    patients: {
      below: ['applications', 'verification', 'sessions', 'srp'],
      within: ['router', 'endpoints'],
    },
    // Staff sign-in to the portal.
    staff: {
      below: ['verification'],
      within: [
        'router',
        'confirm-password',
        'create-staff-user',
        'create-tenant',
        'end-staff-sessions',
        'password',
        'request-staff-reset',
        'set-staff-password',
        'sign-in-staff',
        'staff-actor',
        'lockout/end-portal-lockout',
        'lockout/notify-staff-of-lockout',
        'two-step/check-second-step',
        'two-step/two-step',
      ],
    },
  },
  'server/scheduling': {
    // The provider's appointment types and calendars.
    catalogue: {
      below: [],
      within: ['catalogue', 'list-appointment-types', 'list-calendars'],
    },
    // Stored appointments, the slots that they hold, and how they are read.
    appointments: {
      below: ['catalogue'],
      within: [
        'appointment',
        'exchange-link',
        'export-appointments',
        'get-appointment',
        'list-appointments',
        'list-live-appointments',
        'scheduling-issue',
        'show-appointment',
        'show-calendar',
      ],
    },
    // Free slots: what the provider offers, less our claims.
    availability: {
      below: ['appointments', 'catalogue'],
      within: [
        'explain-availability',
        'free-slots',
        'list-availability',
        'next-availability',
        'renew-availability',
        'show-time-off',
      ],
    },
    // Provider bookings without a patient here, until an administrator assigns one.
    unmatched: {
      below: ['appointments'],
      within: ['attach-unmatched', 'ignore-unmatched', 'list-unmatched', 'unmatched'],
    },
    // Applies the provider's state to our appointments, for changes from any source.
    sync: {
      below: ['appointments', 'catalogue', 'unmatched'],
      within: ['acuity-webhook', 'apply-provider-state', 'compare-appointments', 'sync-appointment', 'update-clients'],
    },
    // Practitioners, their calendars and their appointments.
    practitioners: {
      below: ['catalogue'],
      within: ['get-practitioner', 'list-practitioners', 'show-care-team'],
    },
    // Books, reschedules and cancels appointments at the provider, exactly once.
    booking: {
      below: ['sync', 'appointments', 'availability', 'catalogue'],
      within: [
        'book-appointment',
        'cancel-appointment',
        'mark-appointment',
        'reschedule-appointment',
        'resolve-appointment',
        'send-no-show',
      ],
    },
  },
  'server/subscriptions': {
    // Stored subscriptions, who may read them, and their list.
    records: {
      below: [],
      within: ['export-subscriptions', 'list-subscriptions', 'open-to-patients', 'subscription'],
    },
    // Applies Stripe's current state to our copy.
    sync: {
      below: ['records'],
      within: ['attach-subscription', 'get-subscription', 'sync-subscription'],
    },
    // Subscribes a patient, once for any number of requests.
    create: {
      below: ['records', 'sync'],
      within: ['create-checkout-session', 'create-subscription', 'intent', 'list-live-subscriptions'],
    },
    cancel: {
      below: ['records', 'sync'],
      within: ['cancel-subscription'],
    },
    // Changes a subscription's items, and previews the cost.
    change: {
      below: ['records', 'sync'],
      within: ['preview-change', 'update-subscription'],
    },
    // Invoices, payments, refunds and disputes.
    payments: {
      below: ['records', 'sync'],
      within: ['list-payments', 'refund-payment', 'sync-payments'],
    },
    // The page where a patient pays or saves a card, and its link.
    checkout: {
      below: ['records', 'sync'],
      within: [
        'checkout-mail',
        'create-checkout-link',
        'list-checkout-links',
        'live-link',
        'open-checkout',
        'redeem-code',
      ],
    },
    // The page where a patient sees and changes one subscription, and its link.
    manage: {
      below: ['checkout', 'records', 'sync'],
      within: ['create-manage-link', 'managed-subscription'],
    },
    // Stripe's webhooks.
    'stripe-events': {
      below: ['create', 'payments', 'records', 'sync'],
      within: ['apply-stripe-events', 'receive-stripe-webhook'],
    },
  },
};

/** The portal's folders from lowest to highest: a folder may import those below it, none in its own tier. */
export const PORTAL_TIERS = [
  ['sign-in'],
  ['clinic', 'event-names', 'inbox', 'live', 'shell'],
  // One resource each.
  [
    'account',
    'credentials',
    'manage-link',
    'message-choices',
    'message-settings',
    'notes',
    'patients',
    'plans',
    'practitioners',
    'timeline',
    'team',
    'appointment-messages',
  ],
  ['tasks'],
  ['unmatched'],
  ['appointments', 'care', 'integrations', 'patient-sign-in', 'subscriptions', 'webhooks'],
  ['audit', 'events', 'merge-patients'],
  // Pages that combine several resources.
  ['calendar', 'frame', 'patient-record', 'system', 'today'],
];

/**
 * The folders of the patient pages in the same order: the frame, the pages, and the page that reuses the checkout's
 * card fields.
 */
export const PATIENT_TIERS = [
  ['frame'],
  ['checkout', 'choices', 'confirm-email', 'invitation', 'new-devices', 'undo-change', 'visit'],
  ['manage'],
];

const isWithin = (place: string, zone: string) => place === zone || place.startsWith(`${zone}/`);

/** Returns the domain and module that contain a path under src, or null. */
export function roomOf(place: string): { domain: string; name: string; room: Room } | null {
  for (const [domain, rooms] of Object.entries(ROOMS))
    for (const [name, room] of Object.entries(rooms))
      if (isWithin(place, `${domain}/${name}`)) return { domain, name, room };
  return null;
}

/** Files beside a domain's public face: pages bundle them, and would bundle the whole domain with its `index.ts`. */
const BUNDLED = ['server/identity/applications/get-configuration-tokens.ts'];

/** A business domain and a file in it. */
const IN_DOMAIN = /^(server\/(?!core\/|http\/|providers\/)[^/]+)\/(.+)$/;

/** Files that may import every module of a domain: its router, its public face, and its process-lifetime state. */
const isDomainFile = (place: string, domain: string) =>
  [`${domain}/router.ts`, `${domain}/index.ts`, `${domain}/services.ts`].includes(place);

/**
 * @returns true when a file may import a target: from outside a domain its public face, what pages bundle, and its router and its services
 * where all of them are put together; within it, what the target's module allows
 */
export function mayEnter(place: string, target: string): boolean {
  const [, domain, file] = IN_DOMAIN.exec(target) ?? [];
  if (domain && !isWithin(place, domain))
    return (
      file === 'index.ts' ||
      BUNDLED.includes(target) ||
      ['router.ts', 'services.ts'].some((name) => name === file && place === `server/${name}`)
    );
  const there = roomOf(target);
  if (!there) return true;
  const here = roomOf(place);
  if (here?.name === there.name) return true;
  const isOpen = there.room.within.some(
    (path) => target.replace(/\.tsx?$/, '') === `${there.domain}/${there.name}/${path}`,
  );
  return isOpen && (here !== null || isDomainFile(place, there.domain));
}
