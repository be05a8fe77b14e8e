import type { TimelineChange, TimelineSection } from './section.ts';

const END_REASON_LABELS: Record<string, string> = {
  signed_out: 'Signed out',
  revoked: 'Signed out',
  refresh_token_reused: 'Signed out because an old key was used again',
  password_changed: 'Signed out because the password was changed',
  archived: 'Signed out because the record was archived',
  change_undone: 'Signed out because a changed address was undone',
  helped: 'Signed out because the sign-in was changed',
};
const METHOD_LABELS: Record<string, string> = { email: 'By email', phone: 'By phone' };
const withMethod = (title: string) => (change: TimelineChange) => ({
  title,
  note: METHOD_LABELS[String(change.details.way ?? change.details.kind)],
});

/** The patient's sign-in, and help with it. */
export const signInSection: TimelineSection = {
  kind: 'sign_in',
  texts: {
    'patients.sign_up': 'Signed up',
    'patients.invite': 'Invited to sign in',
    'invitations.resend': 'The invitation was sent again',
    'patients.complete_invitation': 'The invitation was accepted with a password',
    'patients.confirm': 'The sign-in was confirmed',
    'sessions.begin': 'Signed in',
    'sessions.end': ({ details }: TimelineChange) => END_REASON_LABELS[String(details.reason)] ?? 'Signed out',
    'patients.lock_sign_in': 'The sign-in was locked for new devices, after many wrong passwords',
    'patients.unlock_sign_in': 'The sign-in was unlocked for new devices',
    'patients.change_password': 'The password was changed',
    'patients.replace_password': 'A new password was set',
    'patients.reset_password': 'A new password was set',
    'patients.change_phone': 'The phone number for signing in was changed',
    'patients.restore_phone': 'The phone number for signing in was put back',
    'address_changes.undo': withMethod('A changed address was undone'),
    'users.request_email_change': 'Asked for another email address',
    'users.request_phone_change': 'Asked for another phone number to sign in with',
    'sign_ins.request_email_change': 'A change of the email address was requested',
    'sign_ins.withdraw_email_change': 'The change of the email address was withdrawn',
    'sign_ins.change': 'The way to sign in was changed',
    'sign_ins.help': withMethod('Helped to sign in'),
    'patient.signed_up': 'Signed up',
    'patient.invited': 'Invited to sign in',
    'patient.confirmed': 'The sign-in was confirmed',
  },
};
