import type { PatientMessage } from '../messages/message.ts';

/** Instead of a code, while a reset is demanded that a code alone does not give. */
export const pausedMessage = (to: string, { resetBy }: { resetBy: string | null }): PatientMessage => ({
  kind: 'sign_in_paused',
  to,
  needs: resetBy === 'password' ? 'password' : 'clinic',
});
