import type { AppointmentView } from './scheduling.ts';
import type { VisitTestResult } from './visit-test.ts';

/** An appointment on its page in the portal. */
export type AppointmentPageView = {
  visit: AppointmentView;
  /** The latest test of the patient's devices and connection; null when there was none. */
  video_test: VisitTestResult | null;
  /**
   * The clinic requires the date of birth before a video visit, and this patient has none on record: the patient cannot
   * enter.
   */
  lacks_date_of_birth: boolean;
  /** Why it cannot be rescheduled and what to do instead; null when it can, or when it has started. */
  cannot_move: string | null;
  /** A request to the scheduling provider whose outcome is not known yet; `to` is the new time when rescheduling. */
  under_way: { what: 'move' | 'cancel'; to: string | null } | null;
  /** When the scheduling provider gets a no-show, which can be undone until then; null without one. */
  no_show_due_at: string | null;
};
