import type { Chapter, Happening } from './chapter.ts';

const ENDED: Record<string, string> = {
  signed_out: 'Signed out',
  revoked: 'Signed out',
  refresh_token_reused: 'Signed out, for an old key was used again',
  password_changed: 'Signed out, for the password was changed',
  archived: 'Signed out, for the record was archived',
  change_undone: 'Signed out, for a changed address was undone',
  helped: 'Signed out, for the sign-in was changed',
};
const WAYS: Record<string, string> = { email: 'By email', phone: 'By phone' };
const byWay = (title: string) => (happening: Happening) => ({
  title,
  note: WAYS[String(happening.details.way ?? happening.details.kind)],
});

/** How the patient gets in, and who helped. */
export const signIn: Chapter = {
  kind: 'sign_in',
  tells: {
    'patients.sign_up': 'Signed up',
    'patients.invite': 'Invited to sign in',
    'invitations.resend': 'Invitation sent again',
    'patients.complete_invitation': 'Invitation answered with a password',
    'patients.confirm': 'Sign-in confirmed',
    'sessions.begin': 'Signed in',
    'sessions.end': ({ details }: Happening) => ENDED[String(details.reason)] ?? 'Signed out',
    'patients.close_sign_in': 'Sign-in locked for new devices, after many wrong passwords',
    'patients.reopen_sign_in': 'Sign-in opened again for new devices',
    'patients.change_password': 'Password changed',
    'patients.replace_password': 'New password set',
    'patients.reset_password': 'New password set',
    'patients.change_phone': 'Phone number for signing in changed',
    'patients.restore_phone': 'Phone number for signing in put back',
    'address_changes.undo': byWay('Changed address undone'),
    'users.ask_email_change': 'Asked for another email address',
    'users.ask_phone_change': 'Asked for another phone number to sign in with',
    'sign_ins.ask_email_change': 'Another email address asked for',
    'sign_ins.withdraw_email_change': 'Wish for another email address withdrawn',
    'sign_ins.change': 'Way to sign in changed',
    'sign_ins.help': byWay('Helped to sign in'),
    'patient.signed_up': 'Signed up',
    'patient.invited': 'Invited to sign in',
    'patient.confirmed': 'Sign-in confirmed',
  },
};
