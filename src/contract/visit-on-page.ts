import type { AppointmentView } from './scheduling.ts';
import type { VisitTestResult } from './visit-test.ts';

/** A visit as its page in the portal shows it. */
export type VisitOnPage = {
  visit: AppointmentView;
  /** How the patient's devices and line did when they were last tried out; null: they were not. */
  video_test: VisitTestResult | null;
  /** The clinic asks patients for it before a video visit, and this one has none on record: they cannot enter. */
  lacks_date_of_birth: boolean;
  /** Why it cannot be rescheduled and what to do instead; null: it can, or it has begun. */
  cannot_move: string | null;
  /** Asked of the scheduling provider, whose answer is not known yet; `to` is an instant, of a move. */
  under_way: { what: 'move' | 'cancel' | 'no_show'; to: string | null } | null;
};
