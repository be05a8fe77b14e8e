import { z } from 'zod';
import { Id, Instant, LocalDate } from './conventions.ts';
import { MAX_ATTENDANCE_ITEMS } from './limits.ts';
import type { CallDevices, CallSide, LineQuality, ReportCallInput } from './visit-call.ts';

/** What a clinic may require from a patient in addition to the visit link. */
export type EntryCheck = 'date_of_birth' | 'sign_in';

/** The data of the page behind a visit link; instants are RFC 3339. */
export type VisitView = {
  clinic: string;
  /** The clinic's phone number, E.164; null when not set. */
  phone: string | null;
  practitioner: string;
  from_date: string;
  to_date: string;
  /** The clinic's time zone for this visit (IANA). */
  time_zone: string;
  /** The interval in which the visit can be entered. */
  opens_at: string;
  closes_at: string;
  status: 'scheduled' | 'canceled' | 'over';
  /** The appointment was rescheduled since it was booked. */
  is_moved: boolean;
  /** What the patient has to send to enter. */
  asks: EntryCheck[];
  /** The server's time, for devices whose clock is wrong. */
  now: string;
};

const LinkToken = z.string().min(1).max(200);
export const OpenVisitInput = z.strictObject({ token: LinkToken });
export const EnterVisitInput = z.strictObject({
  token: LinkToken,
  date_of_birth: LocalDate.optional(),
  /** The part of a signed-in patient's link before the token. */
  pass: z.string().min(1).max(200).optional(),
  /**
   * A secret that the tab generates before it enters and keeps over a reload. It returns the client to the seat that
   * was taken with it, even when the response was lost; until the seat is left, nothing else is required.
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
        'The URL of the visit page, for this patient only: open it immediately and do not store it. It also opens visits of clinics that require patients to be signed in.',
      examples: ['https://care.example.test/visit#1764000000.x~AZNvOlwee0KdCD9qLIHnBA.0'],
    }),
    expires_at: Instant.meta({
      description: 'From then on, the link requires signing in again. A patient who has joined the visit stays in it.',
    }),
  })
  .meta({ component: 'VisitLink' });
export type VisitLinkView = z.infer<typeof VisitLinkView>;

/** The video call of an appointment in events. `id` is the appointment's. */
export type VisitCallPayload = {
  id: string;
  patient_id: string;
  /** When the practitioner first admitted the patient, at the current time of the appointment. */
  started_at: string | null;
  ended_at: string | null;
  /** `time`: it ended without an action, because its time was over or all participants had left. */
  ended_by: CallSide | 'time' | null;
};

/** A patient in a waiting room; lists are in order of the appointments. */
export type WaitingView = {
  appointment_id: string;
  patient_id: string;
  patient_name: string;
  patient_birth_date: string | null;
  practitioner: string;
  practitioner_id: string | null;
  from_date: string;
  waiting_since: string;
  /** Not seen for some seconds. */
  is_away: boolean;
};

/** One participant's time in a visit's call. */
export type SeatOnPage = {
  side: CallSide;
  /** Name of the staff user; null for the patient, and for a staff user who has left. */
  name: string | null;
  from: string;
  /** Null while they are in the call. */
  until: string | null;
  devices: CallDevices | null;
  path: NonNullable<ReportCallInput['path']> | null;
  media: NonNullable<ReportCallInput['media']> | null;
  quality: LineQuality | null;
  worst_quality: LineQuality | null;
};

/** A visit's call on the appointment's page in the portal. */
export type VisitCallPageView = VisitCallPayload & {
  seats: SeatOnPage[];
  opens_at: string;
  closes_at: string;
};

/** What the clinic requires from patients in addition to the visit link. */
export const VISIT_CHECKS = ['none', 'date_of_birth', 'sign_in'] as const;
export const SetVisitCheckInput = z.strictObject({ check: z.enum(VISIT_CHECKS) });
export type SetVisitCheckInput = z.infer<typeof SetVisitCheckInput>;
export type VisitCheckView = SetVisitCheckInput & {
  /** False when visits take place at another video service, which has its own checks. */
  is_own_room: boolean;
};

export const AttendanceInput = z.strictObject({ ids: z.array(Id).max(MAX_ATTENDANCE_ITEMS) });
export type AttendanceInput = z.infer<typeof AttendanceInput>;
/** Whether each side joined a visit's call. */
export type AttendanceView = {
  appointment_id: string;
  patient_id: string;
  patient_came: boolean;
  staff_came: boolean;
  /** Staff joined and the patient did not: staff may mark it as a no-show. */
  looks_like_no_show: boolean;
};
