/** What the audit log says of a patient and the story does not, each with the reason. */
export const UNTOLD: Record<string, readonly string[]> = {
  'It was looked at, which "who has seen this chart" tells': [
    'patients.get',
    'patients.me',
    'patients.list',
    'patients.care',
    'appointments.get',
    'appointments.list',
    'subscriptions.get',
    'subscriptions.list',
    'subscriptions.listCheckoutLinks',
    'sign_ins.get',
    'users.get',
    'sessions.refresh',
    'patients.impersonate',
    'events.get',
    'events.list',
    'events.latest',
    'story.list',
    'audit.list',
    'audit.forPatient',
    'audit.export',
    'inbox.list',
    'webhooks.listDeliveries',
    'webhooks.delivery',
    'checkout.open',
    'visits.open',
    'invitations.open',
    'addressChanges.open',
    'addressChanges.openAsked',
  ],
  'It is the call; its change has an entry of its own': [
    'appointments.book',
    'appointments.cancel',
    'appointments.reschedule',
    'subscriptions.createCheckoutLink',
    'invitations.create',
    'invitations.invite',
    'patientSignIn.askEmailChange',
    'patientSignIn.withdrawEmailChange',
    'patientSignIn.endSession',
    'patientSignIn.endSessions',
    'patientSignIn.help',
    'addressChanges.confirmAsked',
    'addressChanges.undo',
  ],
  'It changed nothing yet; what follows is told': [
    'users.ask_proof_code',
    'users.prove',
    'users.sign_out',
    // A try that failed; where many of them locked the sign-in, that is told.
    'sign_ins.try',
  ],
  // Each to a receiver of the clinic's own, of what is told already.
  'It went on to another system of the clinic, which the audit log tells': ['webhooks.deliver'],
  'It is of no patient': [
    'audit.check',
    'appointments.unmatched',
    'invitations.turn_on',
    'invitations.turn_off',
    'audit.drop',
  ],
};

/** Of whole kinds of actions: the clinic's own affairs. */
export const OF_NO_PATIENT = [
  'account',
  'applications',
  'clinic',
  'integrations',
  'system',
  'team',
  'tokens',
  'webhooks',
] as const;
/** Events of no patient. */
export const UNTOLD_EVENTS: Record<string, string> = {
  'appointment.unmatched': 'It is of nobody who is a patient here',
  'integration.connected': 'It is of no patient',
  'integration.degraded': 'It is of no patient',
  'integration.recovered': 'It is of no patient',
  'integration.disconnected': 'It is of no patient',
};
