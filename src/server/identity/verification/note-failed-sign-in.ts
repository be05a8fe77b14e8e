import type { Context } from '#server/core/context.ts';
import type { ErrorCode } from '#server/core/errors.ts';
import { recordFailedAttempt } from '#server/core/record-access.ts';

/** Records a failed sign-in of a patient: a wrong password, or a wrong or dead code. Not awaited. */
export const noteFailedSignIn = (ctx: Context, patientId: string, outcome: ErrorCode): void =>
  recordFailedAttempt(ctx, {
    action: 'sign_ins.try',
    object: { type: 'Patient', id: patientId },
    patients: [patientId],
    outcome,
  });
