/** Messages for patients, by the SDK's error code; the SDK's own messages are for developers. */
const WORDS: Record<string, string> = {
  invalid_credentials: 'The temporary password does not fit. Copy it from the newest mail, with its dashes.',
  invitation_expired: 'This invitation has expired. Send yourself another one below.',
  expired_handshake: 'This has taken too long. Press the button again.',
  invalid_parameter: 'Choose another password: this one is too short, or among the first that others would try.',
  rate_limited: 'Too many tries. Wait a few minutes, then try again.',
  service_busy: 'Many are waiting for this at the moment. Try again in a few seconds.',
  sign_in_closed:
    'After many wrong passwords this works only on a device that you have used before. Ask your clinic for a new invitation.',
  sign_in_locked: 'A change to this account was undone. Contact your clinic to sign in again.',
  proof_of_work_required: 'Many mails were asked for already. Wait an hour, then try again.',
  network: 'The server did not answer. Check your connection and try again.',
  timeout: 'The server did not answer in time. Try again.',
};
const OTHERWISE = 'This did not work. Try again; if it stays, ask your clinic.';

export const invitationTrouble = (error: unknown): string =>
  WORDS[(error as { code?: string }).code ?? ''] ?? OTHERWISE;
