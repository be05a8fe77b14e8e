import type { PatientMessage } from '../../messages/message.ts';
import { needsOf } from './address-changes/judge-reset.ts';

/** Instead of a code, while a reset is demanded that a code alone does not give. */
export const pausedMessage = (to: string, resetBy: string): PatientMessage => ({
  kind: 'sign_in_paused',
  to,
  needs: needsOf(resetBy),
});
