import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { CarelaneError, type ErrorCode } from '../core/errors.ts';
import type { Day } from '../core/zone.ts';

/** Ids of a provider's types, calendars and appointments are stored as integers of four bytes. */
export const LARGEST_ID = 2_147_483_647;

export type ProviderAppointmentType = {
  id: number;
  name: string;
  /** One patient at a time; classes and series are another kind of thing. */
  offered: boolean;
  /** Of what is offered, what says enough to be booked: a name, and how long it takes. */
  bookable: boolean;
  description: string | null;
  durationMinutes: number;
  paddingBeforeMinutes: number;
  paddingAfterMinutes: number;
  calendarIds: number[];
};

export type OfferedType = ProviderAppointmentType & {
  /** The provider's field that takes where an appointment takes place; null when its settings lack it. */
  locationFieldId: number | null;
};

export type ProviderCalendar = {
  id: number;
  name: string;
  /** Empty where there is none: no day of this calendar can be told then. */
  timeZone: string;
  /** In lower case: they say whose it is. */
  emails: string[];
};

export type ProviderAppointment = {
  id: number;
  firstName: string;
  lastName: string;
  email: string | null;
  phone: string | null;
  startAt: Date;
  /** At most a day: lists of what is not over yet look no further back. */
  durationMinutes: number;
  typeId: number;
  type: string;
  calendarId: number;
  /** Empty when the calendar no longer exists. */
  calendar: string;
  timeZone: string | null;
  canceled: boolean;
  noShow: boolean;
  /** Where it takes place, as far as its location field says. */
  location: string | null;
  /** The values of all its fields. */
  fieldValues: string[];
};

/** A list in which one that cannot be read hides no other. */
export type AppointmentListing = {
  items: ProviderAppointment[];
  /** Ids of those that cannot be read. */
  unreadable: number[];
  /** It holds as many as one response may: some may be missing. */
  isFull: boolean;
};

/** Whole days, both included, of the account's zone. */
export type Days = { firstDay: Day; lastDay: Day };
export type ProviderBlock = { calendarId: number; startAt: Date; endAt: Date };

/** Times of one calendar, or of all that offer the type; the zone says what a day is. */
export type TimesQuery = { typeId: number; calendarId?: number; timeZone: string };

/** Where an appointment takes place, for the location field of its type. */
export type NewLocation = { fieldId: number; value: string };

export type NewProviderAppointment = {
  /** RFC 3339 with an offset. */
  startAt: string;
  typeId: number;
  calendarId: number;
  firstName: string;
  lastName: string;
  email: string;
  phone: string | null;
  timeZone: string;
  location: NewLocation;
  /** The provider sends the client no mail. */
  quiet: boolean;
};

/**
 * Why the provider understood a request and declined it:
 * - `not_available`: the time is not free.
 * - `notice_too_short`, `too_far_ahead`: its rules offer no times so soon, or so late.
 * - `type_not_offered`: it has the type or the calendar no more.
 * - `fields_required`: its settings demand fields of which nothing is known here.
 * - `not_found`: it has no appointment of that id.
 * - `too_late`, `not_reschedulable`, `already_canceled`: the appointment cannot be rescheduled.
 */
export type DeclineReason =
  | 'not_available'
  | 'notice_too_short'
  | 'too_far_ahead'
  | 'type_not_offered'
  | 'fields_required'
  | 'not_found'
  | 'too_late'
  | 'not_reschedulable'
  | 'already_canceled'
  | 'other';

const NAME = SCHEDULING_PROVIDER.name;

/** What staff and patients read. */
const PEOPLE: Partial<Record<ErrorCode, string>> = {
  provider_error: `${NAME} had trouble with this. Try again; if it stays, tell an administrator.`,
  provider_unavailable: `${NAME} cannot be reached at the moment. Try again in a minute.`,
  provider_timeout: `${NAME} did not answer in time. Try again in a minute.`,
  integration_misconfigured: `${NAME} does not let us in any more. An administrator must connect it again.`,
};

/** The provider did not do what it was asked to. */
export class SchedulingError extends CarelaneError {
  /** `none`: nothing happened there. `unknown`: look the outcome up before trying again. */
  readonly effect: 'none' | 'unknown';
  /** Null when it did not decline: it could not be reached, failed, or its response makes no sense. */
  readonly reason: DeclineReason | null;
  /** The provider's own code of a decline. */
  readonly providerCode: string | null;

  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      effect: 'none' | 'unknown';
      declined?: { reason: DeclineReason; providerCode: string };
      cause?: unknown;
      people?: string;
      headers?: Record<string, string>;
    },
  ) {
    const { people = PEOPLE[code], declined } = more;
    super({ code, detail, ...(people && { people }) }, { cause: more.cause, headers: more.headers ?? {} });
    this.name = 'SchedulingError';
    this.effect = more.effect;
    this.reason = declined?.reason ?? null;
    this.providerCode = declined?.providerCode ?? null;
  }
}

export const isTypeGone = (error: unknown): error is SchedulingError =>
  error instanceof SchedulingError && error.reason === 'type_not_offered';

/** One account at the service that keeps calendars, slots and bookings. Every call may throw SchedulingError. */
export type SchedulingProvider = {
  /** All types, also those that cannot be booked, and all calendars. Stored as JSON. */
  offerings(): Promise<{ types: OfferedType[]; calendars: ProviderCalendar[] }>;
  /** The days of a month (YYYY-MM) with a free time. `onSent` is called when the request leaves, as it may wait its turn. */
  dates(month: string, of: TimesQuery, onSent?: () => void): Promise<Day[]>;
  /** The free times of a day, as if the appointments in `ignoring` were not there. */
  times(day: Day, of: TimesQuery, options?: { ignoring?: number[]; onSent?: () => void }): Promise<Date[]>;
  /** Whether the time could be booked now on each of the calendars, in their order, and if not, why. */
  check(
    startAt: string,
    typeId: number,
    calendarIds: number[],
  ): Promise<{ isFree: boolean; reason: DeclineReason | null }[]>;
  /** Time off on any calendar; what repeats does so by the calendar's clock. */
  blocks(of: Days, calendars: Pick<ProviderCalendar, 'id' | 'timeZone'>[]): Promise<ProviderBlock[]>;
  /** Declined when the time is not free. */
  book(appointment: NewProviderAppointment): Promise<ProviderAppointment>;
  /** Null when there is none of that id. */
  appointment(id: number): Promise<ProviderAppointment | null>;
  /** All that begin on these days, of one calendar or of all, canceled ones too. `urgent`: a booking depends on it. */
  appointmentsBetween(of: Days & { calendarId?: number }, options?: { urgent?: boolean }): Promise<AppointmentListing>;
  /** Regardless of the rules that bind clients. Safe to repeat. */
  cancel(id: number, options: { quiet: boolean; note?: string | null; noShow?: boolean }): Promise<ProviderAppointment>;
  /** On the same calendar; declined when the time is not free. */
  reschedule(id: number, startAt: string, options: { quiet: boolean }): Promise<ProviderAppointment>;
  setLocation(id: number, location: NewLocation): Promise<ProviderAppointment>;
};
