import { z } from 'zod';
import { Id, Instant, LocalDate } from './conventions.ts';
import { ATTENDANCE_AT_ONCE } from './visit-attendance.ts';
import type { CallSide, LineQuality, ReportCallInput } from './visit-call.ts';

/** What a clinic may ask of a patient beside a visit's link. */
export type AskedBesideLink = 'date_of_birth' | 'sign_in';

/** What the page behind a visit's link shows; instants are RFC 3339. */
export type VisitView = {
  clinic: string;
  /** The clinic's, E.164; null where it names none. */
  phone: string | null;
  practitioner: string;
  from_date: string;
  to_date: string;
  /** The clinic's zone for this visit (IANA). */
  time_zone: string;
  /** From when to when it can be entered. */
  opens_at: string;
  closes_at: string;
  status: 'scheduled' | 'canceled' | 'over';
  /** What has to be sent along to enter. */
  asks: AskedBesideLink[];
  /** The service's time, for a reader whose clock is wrong. */
  now: string;
};

const LinkToken = z.string().min(1).max(200);
export const OpenVisitInput = z.strictObject({ token: LinkToken });
export const EnterVisitInput = z.strictObject({
  token: LinkToken,
  date_of_birth: LocalDate.optional(),
  /** What a signed-in patient's link has before the token. */
  pass: z.string().min(1).max(200).optional(),
  /**
   * A secret that the tab has made before it asks, and keeps over a reload. Whoever has it comes back to the seat that was
   * taken with it, also where the answer never came; while nobody has left that, nothing else is asked for.
   */
  hold: z
    .string()
    .regex(/^[\w-]{32,64}$/)
    .optional(),
});
export type EnterVisitInput = z.infer<typeof EnterVisitInput>;
export const VisitIdInput = z.strictObject({ id: Id });
export const VisitLinkView = z
  .strictObject({
    url: z.url().meta({
      description:
        'The visit’s page, for this patient alone: open it at once, and keep it nowhere. It opens visits of clinics that want patients to be signed in, too.',
      examples: ['https://care.example.test/visit#1764000000.x~AZNvOlwee0KdCD9qLIHnBA.0'],
    }),
    expires_at: Instant.meta({
      description: 'From then on it asks for signing in again. Who is in the visit stays there.',
    }),
  })
  .meta({ component: 'VisitLink' });
export type VisitLinkView = z.infer<typeof VisitLinkView>;

/** What events tell of a visit's call. `id` is the appointment's. */
export type VisitCallNews = {
  id: string;
  patient_id: string;
  /** When the practitioner let the patient in for the first time, at the time that the visit has now. */
  started_at: string | null;
  ended_at: string | null;
  /** `time`: nobody did, and its time was over or nobody was there any more. */
  ended_by: CallSide | 'time' | null;
};

/** A patient who waits in front of a visit, in the order of the visits. */
export type WaitingView = {
  appointment_id: string;
  patient_id: string;
  patient_name: string;
  practitioner: string;
  practitioner_id: string | null;
  from_date: string;
  waiting_since: string;
  /** Was not heard of for some seconds. */
  is_away: boolean;
};

/** Somebody's time in a visit's call. */
export type SeatOnPage = {
  side: CallSide;
  /** Of a member of staff; null for the patient, and for somebody who does not work here any more. */
  name: string | null;
  from: string;
  /** Null while they are there. */
  until: string | null;
  devices: NonNullable<ReportCallInput['devices']> | null;
  path: NonNullable<ReportCallInput['path']> | null;
  media: NonNullable<ReportCallInput['media']> | null;
  quality: LineQuality | null;
  worst_quality: LineQuality | null;
};

/** A visit's call, as the visit's page in the portal shows it. */
export type CallOnPage = VisitCallNews & {
  seats: SeatOnPage[];
  /** Somebody of the clinic was there, and the patient never: to be noted as not attended, if staff say so. */
  looks_like_no_show: boolean;
  opens_at: string;
  closes_at: string;
};

/** What the clinic asks of patients beside the link of a visit. */
export const VISIT_CHECKS = ['none', 'date_of_birth', 'sign_in'] as const;
export const SetVisitCheckInput = z.strictObject({ check: z.enum(VISIT_CHECKS) });
export type SetVisitCheckInput = z.infer<typeof SetVisitCheckInput>;
export type VisitCheckView = SetVisitCheckInput & {
  /** Another's page asks for what it wants by itself. */
  is_own_room: boolean;
};

export const AttendanceInput = z.strictObject({ ids: z.array(Id).max(ATTENDANCE_AT_ONCE) });
export type AttendanceInput = z.infer<typeof AttendanceInput>;
/** Whether somebody was seen in a visit's call. */
export type AttendanceView = {
  appointment_id: string;
  patient_id: string;
  patient_came: boolean;
  staff_came: boolean;
  /** As of `CallOnPage`. */
  looks_like_no_show: boolean;
};
