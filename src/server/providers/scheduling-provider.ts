import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { CarelaneError, type ErrorCode } from '../core/errors.ts';
import type { Day } from '../core/zone.ts';

/** Priorities: `urgent` for bookings, `interactive` for calls that a client waits for, `background` for all others. */
export type Priority = 'urgent' | 'interactive' | 'background';
const ORDER: Priority[] = ['urgent', 'interactive', 'background'];
/** Returns the given priority and all higher ones; a caller may wait for calls that have them. */
export const prioritiesUpTo = (turn: Priority): Priority[] => ORDER.slice(0, ORDER.indexOf(turn) + 1);

/** Ids of a provider's types, calendars and appointments are stored as four-byte integers. */
export const LARGEST_ID = 2_147_483_647;

export type ProviderAppointmentType = {
  id: number;
  name: string;
  /** One patient at a time; classes and series are not supported. */
  offered: boolean;
  /** An offered type with enough data to be booked: a name and a duration. */
  bookable: boolean;
  description: string | null;
  durationMinutes: number;
  paddingBeforeMinutes: number;
  paddingAfterMinutes: number;
  calendarIds: number[];
};

export type OfferedType = ProviderAppointmentType & {
  /** The provider's field for the appointment's location; null when its settings lack it. */
  locationFieldId: number | null;
};

export type ProviderCalendar = {
  id: number;
  name: string;
  /** Empty if unknown; the calendar then has no availability. */
  timeZone: string;
  /** In lower case; they identify the practitioner. */
  emails: string[];
};

export type ProviderAppointment = {
  id: number;
  firstName: string;
  lastName: string;
  email: string | null;
  phone: string | null;
  startAt: Date;
  /** At most a day: lists of ongoing appointments look no further back. */
  durationMinutes: number;
  typeId: number;
  type: string;
  calendarId: number;
  /** Empty when the calendar no longer exists. */
  calendar: string;
  timeZone: string | null;
  canceled: boolean;
  noShow: boolean;
  /** The value of its location field. */
  location: string | null;
  /** The values of all its fields. */
  fieldValues: string[];
};

/** A list in which an unreadable appointment does not hide the others. */
export type AppointmentListing = {
  items: ProviderAppointment[];
  /** Ids of the unreadable appointments. */
  unreadable: number[];
  /** It has reached the response's limit: some may be missing. */
  isFull: boolean;
};

/** Whole days, both included, in the account's zone. */
export type Days = { firstDay: Day; lastDay: Day };
export type ProviderBlock = { calendarId: number; startAt: Date; endAt: Date };

/** Slots of one calendar, or of all that offer the type; the zone defines the days. */
export type TimesQuery = { typeId: number; calendarId?: number; timeZone: string };

/** The location of an appointment, for the location field of its type. */
export type NewLocation = { fieldId: number; value: string };

/** The person of an appointment; the provider requires two names and an email address. */
export type ProviderClient = { firstName: string; lastName: string; email: string; phone: string | null };

type NewProviderAppointment = ProviderClient & {
  /** RFC 3339 with an offset. */
  startAt: string;
  typeId: number;
  calendarId: number;
  timeZone: string;
  location: NewLocation;
  /** The provider sends the client no email. */
  quiet: boolean;
};

/**
 * Why the provider understood a request and declined it:
 * - `not_available`: the slot is taken.
 * - `notice_too_short`, `too_far_ahead`: its rules offer no slots so soon, or so late.
 * - `type_not_offered`: it no longer has the type or the calendar.
 * - `fields_required`: its settings require fields that are unknown here.
 * - `not_found`: it has no appointment with that id.
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

/** Texts for staff and patients. */
const PEOPLE: Partial<Record<ErrorCode, string>> = {
  provider_error: `${NAME} had trouble with this. Try again; if it still fails, tell an administrator.`,
  provider_unavailable: `${NAME} cannot be reached at the moment. Try again in a minute.`,
  provider_timeout: `${NAME} did not answer in time. Try again in a minute.`,
  integration_misconfigured: `${NAME} does not let us in any more. An administrator must connect it again.`,
};

/** A failed call to the scheduling provider. */
export class SchedulingError extends CarelaneError {
  /** `none`: the call had no effect. `unknown`: look up the outcome before another attempt. */
  readonly effect: 'none' | 'unknown';
  /** Null if the provider did not decline: it was unreachable, failed, or sent an invalid response. */
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

/** One account at the provider of calendars, slots and bookings. Every call may throw SchedulingError. */
export type SchedulingProvider = {
  /** All types, also those that cannot be booked, and all calendars. Stored as JSON. */
  offerings(): Promise<{ types: OfferedType[]; calendars: ProviderCalendar[] }>;
  /**
   * The days of a month (YYYY-MM) with a free slot. `onSent` is called when the request is sent, as it may wait its
   * turn.
   */
  dates(month: string, of: TimesQuery, onSent?: () => void): Promise<Day[]>;
  /** The free slots of a day, as if the appointments in `ignoring` did not exist. */
  times(day: Day, of: TimesQuery, options?: { ignoring?: number[]; onSent?: () => void }): Promise<Date[]>;
  /** Whether the slot could be booked now on each of the calendars, in their order, and the reason if not. */
  check(
    startAt: string,
    typeId: number,
    calendarIds: number[],
  ): Promise<{ isFree: boolean; reason: DeclineReason | null }[]>;
  /** Time off on all calendars; repetitions follow the calendar's clock. */
  blocks(of: Days, calendars: Pick<ProviderCalendar, 'id' | 'timeZone'>[]): Promise<ProviderBlock[]>;
  /** Declined when the slot is taken. */
  book(appointment: NewProviderAppointment): Promise<ProviderAppointment>;
  /** Null if there is no such appointment. */
  appointment(id: number): Promise<ProviderAppointment | null>;
  /**
   * All that start on these days, of one calendar or of all, including canceled ones. `urgent`: a booking depends on
   * it.
   */
  appointmentsBetween(of: Days & { calendarId?: number }, options?: { urgent?: boolean }): Promise<AppointmentListing>;
  /** Bypasses the rules for clients. Safe to repeat. */
  cancel(id: number, options: { quiet: boolean; note?: string | null; noShow?: boolean }): Promise<ProviderAppointment>;
  /** Without `calendarId` on the same calendar; declined when the slot is taken. */
  reschedule(
    id: number,
    startAt: string,
    options: { quiet: boolean; calendarId?: number },
  ): Promise<ProviderAppointment>;
  setLocation(id: number, location: NewLocation): Promise<ProviderAppointment>;
  setClient(id: number, client: ProviderClient): Promise<ProviderAppointment>;
};
