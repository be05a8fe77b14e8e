import type { UnmatchedAppointmentView } from '#contract/unmatched.ts';

/** A booking, with the patient who has its email address, if any. */
export type UnmatchedRow = UnmatchedAppointmentView & { proposed?: { id: string; name: string | undefined } };

export const personOf = ({ first_name, last_name }: UnmatchedAppointmentView): string =>
  `${first_name} ${last_name}`.trim() || 'Someone without a name';
