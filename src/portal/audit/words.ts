import type { AuditActor, AuditEntryView } from '#contract/audit.ts';

/**
 * What each action is called, as "somebody …": to do it, and done. `{p}` is whose record it is, `{l}` how many a list
 * showed. The log's own names are for programs.
 */
const WORDS: Record<string, string> = {
  'account.change_password': 'change|changed their password',
  'account.close_sign_in': 'close|closed the sign-in to devices that are not known',
  'account.rename': 'change|changed their name',
  'account.renew_recovery_codes': 'make|made new recovery codes',
  'account.reopen_sign_in': 'open|opened the sign-in again',
  'account.replace_two_step': 'set up|set up two-step sign-in anew',
  'account.request_reset': 'ask|asked for a link to set a new password',
  'account.reset_password': 'set|set a new password',
  'account.sign_in': 'sign in|signed in to the portal',
  'account.sign_out': 'sign out|signed out of the portal',
  'account.sign_out_everywhere': 'sign out|signed out of the portal everywhere',
  'account.turn_off_two_step': 'turn off|turned off two-step sign-in',
  'account.turn_on_two_step': 'turn on|turned on two-step sign-in',
  'account.use_recovery_code': 'use|used a recovery code',
  'addressChanges.confirmAsked': 'confirm|confirmed a new email address of {p}',
  'addressChanges.open': 'open|opened the link about a changed address of {p}',
  'addressChanges.openAsked': 'open|opened the link to a new email address of {p}',
  'addressChanges.undo': 'undo|undid a changed address of {p}',
  'address_changes.undo': 'undo|undid a changed address of {p}',
  'applications.authenticate': 'use|used an application’s secret',
  'applications.create': 'make|made an application',
  'applications.revoke': 'revoke|revoked an application',
  'applications.revoke_secret': 'revoke|revoked a secret of an application',
  'applications.rotate_secret': 'make|made a new secret of an application',
  'applications.set_allowed_origins': 'change|changed which websites may ask',
  'applications.set_app_addresses': 'change|changed the pages of the clinic’s app',
  'applications.update': 'change|changed an application',
  'appointments.book': 'book|booked a visit of {p}',
  'appointments.cancel': 'cancel|canceled a visit of {p}',
  'appointments.canceled': 'cancel|canceled a visit of {p}',
  'appointments.changed': 'change|changed a visit of {p}',
  'appointments.get': 'open|opened a visit of {p}',
  'appointments.list': 'see|saw visits of {l}',
  'appointments.reschedule': 'move|moved a visit of {p}',
  'appointments.rescheduled': 'move|moved a visit of {p}',
  'appointments.scheduled': 'book|booked a visit of {p}',
  'appointments.unmatched': 'note|noted a visit of somebody who is no patient here',
  'audit.drop': 'remove|removed the oldest months of the audit log',
  'audit.export': 'take|took a copy of the audit log',
  'audit.forPatient': 'look|looked at who has seen the chart of {p}',
  'audit.list': 'look|looked through the audit log',
  'checkout.open': 'open|opened the payment page of {p}',
  'clinic.remove_logo': 'remove|removed the clinic’s logo',
  'clinic.set_logo': 'change|changed the clinic’s logo',
  'clinic.update': 'change|changed the clinic’s details',
  'events.get': 'open|opened an event of {p}',
  'events.latest': 'see|saw events of {l}',
  'events.list': 'read|read events of {l}',
  'inbox.list': 'look|looked at the messages in the inbox',
  'integrations.check': 'check|checked a connection',
  'integrations.connect': 'connect|connected a provider',
  'invitations.create': 'invite|invited {p}',
  'invitations.invite': 'invite|invited {p}',
  'invitations.open': 'open|opened the invitation of {p}',
  'invitations.resend': 'send|sent the invitation of {p} again',
  'invitations.turn_off': 'turn off|turned off invitations',
  'invitations.turn_on': 'turn on|turned on invitations',
  'patients.archive': 'archive|archived {p}',
  'patients.care': 'look|looked at what archiving {p} would end',
  'patients.change_email': 'change|changed the email address of {p}',
  'patients.change_password': 'change|changed the password of {p}',
  'patients.change_phone': 'change|changed the phone number of {p}',
  'patients.close_sign_in': 'close|closed the sign-in of {p} to devices that are not known',
  'patients.complete_invitation': 'answer|answered the invitation of {p}',
  'patients.confirm': 'confirm|confirmed the account of {p}',
  'patients.confirm_address': 'confirm|confirmed an address of {p}',
  'patients.create': 'add|added {p}',
  'patients.end_care': 'end|ended the care of {p}',
  'patients.export': 'take|took a copy of all that is kept of {p}',
  'patients.get': 'open|opened the chart of {p}',
  'patients.give_up_address': 'take|took an address from {p} that was never confirmed',
  'patients.impersonate': 'get|got access in the name of {p}',
  'patients.invite': 'invite|invited {p}',
  'patients.list': 'see|saw {l} in a list',
  'patients.me': 'open|opened the chart of {p}',
  'patients.reopen_sign_in': 'open|opened the sign-in of {p} again',
  'patients.replace_password': 'set|set a new password of {p}',
  'patients.reset_password': 'set|set a new password of {p}',
  'patients.restore_email': 'put back|put back the email address of {p}',
  'patients.restore_phone': 'put back|put back the phone number of {p}',
  'patients.sign_up': 'sign up|signed up as {p}',
  'patients.unarchive': 'bring back|brought back {p}',
  'patients.update': 'change|changed the record of {p}',
  'patientSignIn.askEmailChange': 'begin|began to change the email address of {p}',
  'patientSignIn.endSession': 'sign out|signed out one device of {p}',
  'patientSignIn.endSessions': 'sign out|signed out all devices of {p}',
  'patientSignIn.help': 'help|helped {p} to sign in',
  'patientSignIn.withdrawEmailChange': 'withdraw|withdrew a change of the email address of {p}',
  'plans.list': 'see|saw the plans in the name of {p}',
  'scheduling.listAppointmentTypes': 'see|saw the types of visits in the name of {p}',
  'scheduling.listAvailability': 'see|saw free times in the name of {p}',
  'scheduling.listCalendars': 'see|saw the practitioners in the name of {p}',
  'sessions.begin': 'sign in|signed in as {p}',
  'sessions.end': 'sign out|signed out {p}',
  'sessions.refresh': 'stay|stayed signed in as {p}',
  'sign_ins.ask_email_change': 'begin|began to change the email address of {p}',
  'sign_ins.change': 'change|changed how {p} signs in',
  'sign_ins.get': 'look|looked at how {p} signs in',
  'sign_ins.help': 'help|helped {p} to sign in',
  'sign_ins.try': 'sign in|signed in as {p}',
  'sign_ins.withdraw_email_change': 'withdraw|withdrew a change of the email address of {p}',
  'story.list': 'read|read what happened to {p}',
  'subscriptions.activate': 'begin|began a subscription of {p}',
  'subscriptions.cancel': 'cancel|canceled a subscription of {p}',
  'subscriptions.create': 'start|started a subscription of {p}',
  'subscriptions.createCheckoutLink': 'make|made a payment link for {p}',
  'subscriptions.create_checkout_link': 'make|made a payment link for {p}',
  'subscriptions.get': 'open|opened a subscription of {p}',
  'subscriptions.list': 'see|saw subscriptions of {l}',
  'subscriptions.listCheckoutLinks': 'see|saw the payment links of {p}',
  'subscriptions.sync': 'bring|brought a subscription of {p} up to date',
  'system.retry_job': 'try|tried failed work again',
  'team.change_role': 'change|changed the role of a colleague',
  'team.create': 'make|made the first account',
  'team.disable': 'disable|disabled the account of a colleague',
  'team.enable': 'enable|enabled the account of a colleague',
  'team.invite': 'invite|invited a colleague',
  'team.join': 'join|joined the team',
  'team.resend_invitation': 'send|sent the invitation of a colleague again',
  'team.reset_two_step': 'reset|reset the two-step sign-in of a colleague',
  'team.withdraw_invitation': 'withdraw|withdrew the invitation of a colleague',
  'tokens.give': 'get|got access to the API',
  'users.ask_email_change': 'ask|asked to change the email address of {p}',
  'users.ask_phone_change': 'ask|asked to change the phone number of {p}',
  'users.ask_proof_code': 'ask|asked for a code for {p}',
  'users.get': 'open|opened the account of {p}',
  'users.prove': 'prove|proved to be {p}',
  'users.sign_out': 'sign out|signed out {p}',
  'visits.open': 'open|opened the page of a visit of {p}',
};

export const hasWords = (action: string): boolean => Object.hasOwn(WORDS, action);

/** The kinds of what is done, for the filter. */
export const KINDS: { value: string; label: string }[] = [
  { value: '', label: 'Anything' },
  { value: 'patients.get', label: 'Charts opened' },
  { value: 'patients', label: 'Patients' },
  { value: 'appointments', label: 'Visits' },
  { value: 'subscriptions', label: 'Subscriptions' },
  { value: 'sign_ins', label: 'Patients’ sign-ins' },
  { value: 'account', label: 'Sign-ins to the portal' },
  { value: 'team', label: 'Team' },
  { value: 'applications', label: 'Applications' },
  { value: 'tokens', label: 'API access' },
  { value: 'audit', label: 'The audit log' },
];

const KIND_OF: Record<AuditActor['type'], string> = {
  Admin: 'A former administrator',
  Practitioner: 'A former colleague',
  Application: 'An application',
  Patient: 'A patient',
  Visitor: 'Somebody not signed in',
  System: 'The service',
};
export const nameOfActor = ({ type, name }: AuditActor): string => name ?? KIND_OF[type] ?? type;

type Told = Pick<AuditEntryView, 'action' | 'outcome' | 'patients' | 'patient_count' | 'on_behalf_of'>;

/** "opened the chart of Ada Example", to stand after a name. An action that is not known yet stands as it is. */
export function deedOf({ action, outcome, patients, patient_count: count, on_behalf_of }: Told): string {
  const [toDo, done] = (WORDS[action] ?? `do|did “${action}”`).split('|') as [string, string];
  const first = patients[0] && (patients[0].name ?? 'a patient without a name');
  const many = count === 0 ? 'no patient' : count === 1 ? (first ?? 'a patient') : `${count} patients`;
  // What is done stands whole with its past; of the other form only the verb.
  const rest = done.slice(done.indexOf(' ', pastLength(toDo)));
  const words = outcome === 'done' ? done : `tried to ${toDo}${rest}`;
  const behalf = on_behalf_of ? `, in the name of ${on_behalf_of.name ?? 'a patient'}` : '';
  return words.replace('{p}', count > 1 ? many : (first ?? 'somebody')).replace('{l}', many) + behalf;
}

/** "sign in" is followed by "signed in", whose second word is the verb's too. */
const pastLength = (toDo: string): number => (toDo.includes(' ') ? toDo.length : 0);

const REFUSALS: Record<string, string> = {
  forbidden: 'Not allowed',
  not_found: 'Not found',
  invalid_credentials: 'Wrong password',
  invalid_client: 'Wrong secret',
  invalid_code: 'Wrong code',
  expired_code: 'Code too old',
  too_many_tries: 'Too many wrong codes',
};
export const refusalWords = (outcome: string): string => REFUSALS[outcome] ?? 'Refused';
