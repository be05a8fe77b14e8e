import type { PatientSessionView, PatientSignInView } from '#contract/patient-sign-in.ts';

const METHODS: Record<PatientSignInView['ways'][number], string> = {
  text_message: 'by a code in a text message',
  password: 'by email and password',
  invitation: 'by an invitation that is not accepted yet',
};

export function signInMethodsMessage({ ways }: Pick<PatientSignInView, 'ways'>): string {
  if (ways.length === 0) return 'Does not sign in. Your clinic keeps this record for them.';
  return `Signs in ${ways.map((method) => METHODS[method]).join(', or ')}.`;
}

export const lockMessage = ({ needs }: NonNullable<PatientSignInView['locked']>): string =>
  needs === 'password'
    ? 'The patient signs in with the password of before and chooses a new one, or you help.'
    : 'Only you can help, once you have made sure who it is.';

export const deviceLabel = ({ device, network }: Pick<PatientSessionView, 'device' | 'network'>): string =>
  [device ?? 'Unknown device', network].filter(Boolean).join(' · ');

export const END_REASON_LABELS: Record<NonNullable<PatientSessionView['end_reason']>, string> = {
  signed_out: 'Signed out',
  revoked: 'Signed out by staff or the app',
  refresh_token_reused: 'Ended because a copied token was used',
  password_changed: 'Ended with a new password',
  archived: 'Ended when archived',
  change_undone: 'Ended when a change of address was undone',
  helped: 'Ended when staff helped with signing in',
  expired: 'Ran out',
};
