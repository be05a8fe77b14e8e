import { z } from 'zod';
import type { ProviderContext } from '../core/context.ts';
import { isZone } from '../core/zone.ts';
import { type AcuityBlock, Block, type Days, listBlocks, occurrences } from './acuity-blocks.ts';
import { ZonedTime } from './acuity-datetime.ts';
import { AcuityError, createSend, isGoneThere } from './acuity-http.ts';
import type { Turn } from './request-budget.ts';

export { AcuityError, isGoneThere };

/** Acuity has no paging; a lookup covers three days of one calendar. */
const LOOKUP_MAX = 500;
/** How many appointments one answer may hold when all are compared. */
export const LIST_MAX = 500;

/** Ids are stored as integers of four bytes. */
export const LARGEST_ID = 2_147_483_647;
const Id = z.int().max(LARGEST_ID);

/** Null where Acuity names none, or one that does not exist. */
const Zone = z.preprocess((zone) => (typeof zone === 'string' && isZone(zone) ? zone : null), z.string().nullable());
const Me = z.object({ id: z.int(), email: z.string().nullish(), timezone: Zone, name: z.string().nullish() });
/** What somebody left out in Acuity's settings is told as a finding; it must not keep the rest from being read. */
const Named = z
  .string()
  .nullish()
  .transform((name) => name?.trim() ?? '');
const Type = z
  .object({
    id: z.int(),
    name: Named,
    active: z.boolean().default(true),
    description: z.string().nullish(),
    duration: z.coerce.number().int().positive().catch(0),
    type: z.string().default('service'),
    paddingBefore: z.coerce.number().int().min(0).nullish(),
    paddingAfter: z.coerce.number().int().min(0).nullish(),
    calendarIDs: z.array(z.int()),
  })
  .transform((type) => ({
    id: type.id,
    name: type.name,
    /** One patient at a time; classes and series are another kind of thing. */
    offered: type.active && type.type === 'service',
    /** Of what is offered, what says enough to be booked: a name, and how long it takes. */
    bookable: type.active && type.type === 'service' && type.name !== '' && type.duration > 0,
    description: type.description || null,
    durationMinutes: type.duration,
    paddingBeforeMinutes: type.paddingBefore ?? 0,
    paddingAfterMinutes: type.paddingAfter ?? 0,
    calendarIds: type.calendarIDs,
  }));
const Calendar = z
  .object({ id: z.int(), name: z.string(), email: z.string().nullish(), timezone: Zone })
  .transform(({ id, name, email, timezone }) => ({
    id,
    name,
    /** Empty where there is none: no day of this calendar can be told then. */
    timeZone: timezone ?? '',
    emails: (email ?? '').split(',').flatMap((one) => one.trim().toLowerCase() || []),
  }));
const Form = z
  .object({
    id: z.int(),
    name: z.string(),
    hidden: z.boolean().nullish(),
    appointmentTypeIDs: z.array(z.int()).nullish(),
    fields: z
      .array(
        z.object({
          id: z.int(),
          name: z.string(),
          type: z.string().default('textbox'),
          required: z.boolean().nullish(),
        }),
      )
      .nullish(),
  })
  .transform((form) => ({
    id: form.id,
    name: form.name,
    internal: form.hidden ?? false,
    typeIds: form.appointmentTypeIDs ?? [],
    fields: form.fields ?? [],
  }));
const Appointment = z
  .object({
    id: Id,
    firstName: z.string().nullish(),
    lastName: z.string().nullish(),
    email: z.string().nullish(),
    phone: z.string().nullish(),
    datetime: ZonedTime,
    /** One of a type that does not say how long it takes holds its first minute: it must not pass for nothing. */
    duration: z.coerce.number().int().positive().catch(1),
    type: z.string(),
    appointmentTypeID: Id,
    calendar: z.string(),
    calendarID: Id,
    calendarTimezone: Zone,
    canceled: z.boolean(),
    noShow: z.boolean().nullish(),
    forms: z
      .array(
        z.object({ name: z.string(), values: z.array(z.object({ name: z.string(), value: z.string().nullish() })) }),
      )
      .nullish(),
  })
  .transform((it) => ({
    id: it.id,
    firstName: it.firstName?.trim() ?? '',
    lastName: it.lastName?.trim() ?? '',
    email: it.email?.trim().toLowerCase() || null,
    phone: it.phone?.trim() || null,
    startAt: it.datetime,
    durationMinutes: it.duration,
    typeId: it.appointmentTypeID,
    type: it.type,
    calendarId: it.calendarID,
    calendar: it.calendar,
    timeZone: it.calendarTimezone,
    canceled: it.canceled,
    noShow: it.noShow ?? false,
    answers: (it.forms ?? []).flatMap((form) =>
      form.values.map(({ name, value }) => ({ form: form.name, question: name, value: value ?? '' })),
    ),
  }));
/** A list in which one that cannot be read hides no other; `unreadable` has the ids of such. */
const Listing = z.array(z.object({ id: z.int() }).loose()).transform((all) => {
  const read = all.map((one) => ({ id: one.id, appointment: Appointment.safeParse(one) }));
  return {
    items: read.flatMap(({ appointment }) => (appointment.success ? [appointment.data] : [])),
    unreadable: read.flatMap(({ id, appointment }) => (appointment.success ? [] : [id])),
  };
});
const Webhook = z.object({ id: z.int(), event: z.string(), target: z.string(), status: z.string().nullish() });

/** The name of the reason's key is not documented; it has the shape of an error at our emulator. */
const Checked = z
  .object({ valid: z.boolean(), error: z.string().nullish(), message: z.string().nullish() })
  .transform(({ valid, error, message }) => ({ valid, refusal: error ?? null, message: message ?? null }));

export type AcuityMe = z.infer<typeof Me>;
export type AcuityType = z.infer<typeof Type>;
export type AcuityCalendar = z.infer<typeof Calendar>;
export type AcuityForm = z.infer<typeof Form>;
export type AcuityAppointment = z.infer<typeof Appointment>;
export type AcuityListing = z.infer<typeof Listing>;
export type AcuityWebhook = z.infer<typeof Webhook>;

/** Times of one calendar, or of all that offer the type; the zone says what a day is. */
export type TimesQuery = { typeId: number; calendarId?: number; timeZone: string };
export type NewAcuityAppointment = {
  /** RFC 3339 with an offset: without one Acuity reads it in the business's zone. */
  startAt: string;
  typeId: number;
  calendarId: number;
  firstName: string;
  lastName: string;
  email: string;
  phone: string | null;
  timeZone: string;
  answers: { id: number; value: string }[];
  /** Acuity sends the client no mail. */
  quiet: boolean;
};

const query = (values: Record<string, string | number | boolean>) =>
  `?${new URLSearchParams(Object.entries(values).map(([key, value]) => [key, String(value)]))}`;

export type Acuity = ReturnType<typeof createAcuity>;

/** One account at Acuity Scheduling, API v1. Every call may throw AcuityError. */
export function createAcuity(
  { config, kept, keyed }: ProviderContext,
  account: { userId: string; apiKey: string },
  turn: Turn = 'asked',
) {
  const send = createSend({
    apiUrl: config.acuity.apiUrl,
    ...account,
    timeoutMs: config.providerTimeoutMs,
    budget: kept.providers.acuity,
    turn,
    beforeChange: () => keyed?.assertHeld(),
  });
  const dayOf = ({ typeId, calendarId, timeZone }: TimesQuery) => ({
    appointmentTypeID: typeId,
    ...(calendarId !== undefined && { calendarID: calendarId }),
    timezone: timeZone,
  });
  return {
    me: () => send({ method: 'GET', path: '/me' }, Me),
    types: () => send({ method: 'GET', path: '/appointment-types', first: true }, z.array(Type)),
    calendars: () => send({ method: 'GET', path: '/calendars', first: true }, z.array(Calendar)),
    forms: () => send({ method: 'GET', path: '/forms', first: true }, z.array(Form)),

    /** The days (YYYY-MM-DD) of a month (YYYY-MM) with a free time. */
    async dates(month: string, of: TimesQuery, onSent?: () => void): Promise<string[]> {
      const path = `/availability/dates${query({ month, ...dayOf(of) })}`;
      const dates = await send({ method: 'GET', path, onSent }, z.array(z.object({ date: z.string() })));
      return dates.map(({ date }) => date);
    },
    /** The free times of a day, as if the appointments in `ignoring` were not there. */
    async times(
      date: string,
      of: TimesQuery,
      { ignoring = [], onSent }: { ignoring?: number[]; onSent?: () => void } = {},
    ): Promise<Date[]> {
      const ignored = Object.fromEntries(ignoring.map((id, index) => [`ignoreAppointmentIDs[${index}]`, id]));
      const path = `/availability/times${query({ date, ...dayOf(of), ...ignored })}`;
      const times = await send({ method: 'GET', path, onSent }, z.array(z.object({ time: ZonedTime })));
      return times.map(({ time }) => time);
    },
    /** Whether the time could be booked now on each of the calendars, in their order, and if not, why. */
    check: (startAt: string, typeId: number, calendarIds: number[]) =>
      send(
        {
          method: 'POST',
          path: '/availability/check-times',
          body: calendarIds.map((id) => ({ datetime: startAt, appointmentTypeID: typeId, calendarID: id })),
          reads: true,
          first: true,
        },
        z.array(Checked).length(calendarIds.length),
      ),
    /** Time off between two whole days of the account's zone, on any calendar; by their zones what repeats does so. */
    async blocks(of: Days, calendars: { id: number; timeZone: string }[]): Promise<AcuityBlock[]> {
      const list = ({ firstDay: minDate, lastDay: maxDate }: Days) => {
        const path = `/blocks${query({ minDate, maxDate, max: LOOKUP_MAX })}`;
        return send({ method: 'GET', path, first: true }, z.array(Block));
      };
      const zoneOf = (calendarId: number) => calendars.find(({ id }) => id === calendarId)?.timeZone || null;
      return occurrences(await listBlocks(list, of, LOOKUP_MAX), of, zoneOf);
    },

    /** Client mode, so that Acuity itself refuses a time that is not free: `not_available`. */
    book: (wish: NewAcuityAppointment) =>
      send(
        {
          method: 'POST',
          path: `/appointments${wish.quiet ? '?noEmail=true' : ''}`,
          body: {
            datetime: wish.startAt,
            appointmentTypeID: wish.typeId,
            calendarID: wish.calendarId,
            firstName: wish.firstName,
            lastName: wish.lastName,
            email: wish.email,
            ...(wish.phone && { phone: wish.phone }),
            timezone: wish.timeZone,
            fields: wish.answers,
          },
        },
        Appointment,
      ),
    /** Null when there is none of that id. */
    async appointment(id: number): Promise<AcuityAppointment | null> {
      try {
        return await send({ method: 'GET', path: `/appointments/${id}`, urgent: true, first: true }, Appointment);
      } catch (error) {
        if (error instanceof AcuityError && error.refusal === 'not_found') return null;
        throw error;
      }
    },
    /**
     * All appointments between two whole days of the account's zone, of one calendar or of all, canceled ones too, at most
     * `LIST_MAX`: an answer so full may have left some out. `urgent`: a booking depends on it.
     */
    appointmentsBetween: (of: Days & { calendarId?: number }, { urgent = false } = {}): Promise<AcuityListing> => {
      const { firstDay: minDate, lastDay: maxDate, calendarId: calendarID } = of;
      const calendar = calendarID !== undefined && { calendarID };
      const path = `/appointments${query({ minDate, maxDate, ...calendar, showall: true, max: LIST_MAX })}`;
      return send({ method: 'GET', path, first: true, ...(urgent && { urgent }) }, Listing);
    },
    /** Admin mode bypasses the rules that bind clients. Canceling twice is harmless; an empty body must be sent. */
    cancel: (id: number, options: { quiet: boolean; note?: string | null; noShow?: boolean }) => {
      const path = `/appointments/${id}/cancel?admin=true${options.quiet ? '&noEmail=true' : ''}`;
      const body = { ...(options.note && { cancelNote: options.note }), ...(options.noShow && { noShow: true }) };
      return send({ method: 'PUT', path, body }, Appointment);
    },
    /** Client mode, and no calendar: Acuity keeps the one it has. */
    reschedule: (id: number, startAt: string, options: { quiet: boolean }) => {
      const path = `/appointments/${id}/reschedule${options.quiet ? '?noEmail=true' : ''}`;
      return send({ method: 'PUT', path, body: { datetime: startAt } }, Appointment);
    },
    answer: (id: number, answers: { id: number; value: string }[]) =>
      send({ method: 'PUT', path: `/appointments/${id}?admin=true`, body: { fields: answers } }, Appointment),
    webhooks: () => send({ method: 'GET', path: '/webhooks', first: true }, z.array(Webhook)),
    addWebhook: (event: string, target: string) =>
      send({ method: 'POST', path: '/webhooks', body: { event, target } }, Webhook),
    removeWebhook: (id: number) => send({ method: 'DELETE', path: `/webhooks/${id}` }, z.unknown()),
  };
}
