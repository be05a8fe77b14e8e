import { z } from 'zod';
import { DAY, MINUTE } from '../core/clock.ts';
import type { ProviderContext } from '../core/context.ts';
import { addDays, type Day, fromMinute, localDay, offsetAt, toMinute } from '../core/zone.ts';
import { createSend, type Send } from './acuity-http.ts';
import {
  Appointment,
  Calendar,
  Checked,
  Form,
  LIST_MAX,
  Listing,
  locationField,
  Me,
  Type,
  Webhook,
  ZonedTime,
} from './acuity-shapes.ts';
import type { Priority } from './scheduling-provider.ts';
import {
  type Days,
  type NewLocation,
  type ProviderAppointment,
  type ProviderBlock,
  SchedulingError,
  type SchedulingProvider,
  type TimesQuery,
} from './scheduling-provider.ts';

/** Acuity has no paging; a lookup covers three days of one calendar. */
const LOOKUP_MAX = 500;

const query = (values: Record<string, string | number | boolean>) =>
  `?${new URLSearchParams(Object.entries(values).map(([key, value]) => [key, String(value)]))}`;

/** Adds calls for Acuity's settings to those of every scheduling provider. */
export type Acuity = SchedulingProvider & ReturnType<typeof settingsCalls>;

const fieldsOf = ({ fieldId, value }: NewLocation) => [{ id: fieldId, value }];

/** Creates a client for one account at Acuity Scheduling, API v1. Every call may throw SchedulingError. */
export function createAcuity(
  { config, providers, keyed }: ProviderContext,
  account: { userId: string; apiKey: string },
  turn: Priority = 'interactive',
): Acuity {
  const send = createSend({
    apiUrl: config.acuity.apiUrl,
    ...account,
    timeoutMs: config.providerTimeoutMs,
    budget: providers.scheduling,
    turn,
    beforeChange: () => keyed?.assertHeld(),
  });
  const dayQuery = ({ typeId, calendarId, timeZone }: TimesQuery) => ({
    appointmentTypeID: typeId,
    ...(calendarId !== undefined && { calendarID: calendarId }),
    timezone: timeZone,
  });
  const settings = settingsCalls(send);
  return {
    ...settings,

    async offerings() {
      const [types, calendars, forms] = await Promise.all([settings.types(), settings.calendars(), settings.forms()]);
      return { types: types.map((type) => ({ ...type, locationFieldId: locationField(forms, type.id) })), calendars };
    },
    async dates(month, of, onSent) {
      const path = `/availability/dates${query({ month, ...dayQuery(of) })}`;
      const dates = await send({ method: 'GET', path, onSent }, z.array(z.object({ date: z.string() })));
      return dates.map(({ date }) => date);
    },
    async times(date, of, { ignoring = [], onSent } = {}) {
      const ignored = Object.fromEntries(ignoring.map((id, index) => [`ignoreAppointmentIDs[${index}]`, id]));
      const path = `/availability/times${query({ date, ...dayQuery(of), ...ignored })}`;
      const times = await send({ method: 'GET', path, onSent }, z.array(z.object({ time: ZonedTime })));
      return times.map(({ time }) => time);
    },
    check: (startAt, typeId, calendarIds) =>
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
    async blocks(of, calendars) {
      const list = ({ firstDay: minDate, lastDay: maxDate }: Days) => {
        const path = `/blocks${query({ minDate, maxDate, max: LOOKUP_MAX })}`;
        return send({ method: 'GET', path, first: true }, z.array(Block));
      };
      const zoneOf = (calendarId: number) => calendars.find(({ id }) => id === calendarId)?.timeZone || null;
      return occurrences(await listBlocks(list, of, LOOKUP_MAX), of, zoneOf);
    },

    /**
     * Client mode, so that Acuity itself rejects a slot that is taken. Without an offset Acuity would use the
     * business's zone.
     */
    book: (booking) =>
      send(
        {
          method: 'POST',
          path: `/appointments${booking.quiet ? '?noEmail=true' : ''}`,
          body: {
            datetime: booking.startAt,
            appointmentTypeID: booking.typeId,
            calendarID: booking.calendarId,
            firstName: booking.firstName,
            lastName: booking.lastName,
            email: booking.email,
            ...(booking.phone && { phone: booking.phone }),
            timezone: booking.timeZone,
            fields: fieldsOf(booking.location),
          },
        },
        Appointment,
      ),
    async appointment(id): Promise<ProviderAppointment | null> {
      try {
        return await send({ method: 'GET', path: `/appointments/${id}`, urgent: true, first: true }, Appointment);
      } catch (error) {
        if (error instanceof SchedulingError && error.reason === 'not_found') return null;
        throw error;
      }
    },
    appointmentsBetween: (of, { urgent = false } = {}) => {
      const { firstDay: minDate, lastDay: maxDate, calendarId: calendarID } = of;
      const calendar = calendarID !== undefined && { calendarID };
      const path = `/appointments${query({ minDate, maxDate, ...calendar, showall: true, max: LIST_MAX })}`;
      return send({ method: 'GET', path, first: true, ...(urgent && { urgent }) }, Listing);
    },
    /** Admin mode bypasses the rules for clients. Canceling twice is harmless; an empty body is required. */
    cancel: (id, options) => {
      const path = `/appointments/${id}/cancel?admin=true${options.quiet ? '&noEmail=true' : ''}`;
      const body = { ...(options.note && { cancelNote: options.note }), ...(options.noShow && { noShow: true }) };
      return send({ method: 'PUT', path, body }, Appointment);
    },
    /** Client mode without a calendar: Acuity keeps the appointment's calendar. */
    reschedule: (id, startAt, options) => {
      const path = `/appointments/${id}/reschedule${options.quiet ? '?noEmail=true' : ''}`;
      const calendar = options.calendarId !== undefined && { calendarID: options.calendarId };
      return send({ method: 'PUT', path, body: { datetime: startAt, ...calendar } }, Appointment);
    },
    setLocation: (id, location) =>
      send(
        { method: 'PUT', path: `/appointments/${id}?admin=true`, body: { fields: fieldsOf(location) } },
        Appointment,
      ),
    setClient: (id, { phone, ...client }) =>
      send(
        { method: 'PUT', path: `/appointments/${id}?admin=true`, body: { ...client, phone: phone ?? '' } },
        Appointment,
      ),
  };
}

const settingsCalls = (send: Send) => ({
  me: () => send({ method: 'GET', path: '/me' }, Me),
  types: () => send({ method: 'GET', path: '/appointment-types', first: true }, z.array(Type)),
  calendars: () => send({ method: 'GET', path: '/calendars', first: true }, z.array(Calendar)),
  forms: () => send({ method: 'GET', path: '/forms', first: true }, z.array(Form)),
  webhooks: () => send({ method: 'GET', path: '/webhooks', first: true }, z.array(Webhook)),
  addWebhook: (event: string, target: string) =>
    send({ method: 'POST', path: '/webhooks', body: { event, target } }, Webhook),
  removeWebhook: (id: number) => send({ method: 'DELETE', path: `/webhooks/${id}` }, z.unknown()),
});

/**
 * Acuity does not document the formats of `until` and `recurring`: an unreadable value means no repetition, or no end.
 */
const Block = z
  .object({
    id: z.int(),
    calendarID: z.int(),
    start: ZonedTime,
    end: ZonedTime,
    until: z.string().nullish().catch(null),
    recurring: z.string().nullish().catch(null),
  })
  .transform((block) => ({
    id: block.id,
    calendarId: block.calendarID,
    startAt: block.start,
    endAt: block.end,
    everyDays: { daily: 1, weekly: 7 }[block.recurring?.toLowerCase() ?? ''] ?? null,
    lastDay: block.until ? dayOf(block.until) : null,
  }));
type Listed = z.infer<typeof Block>;

/** Parses `2036-02-01`, with or without a time, or `February 1, 2036`. */
function dayOf(text: string): Day | null {
  const at = Date.parse(`${/^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? text} UTC`);
  return Number.isNaN(at) ? null : new Date(at).toISOString().slice(0, 10);
}

/**
 * Lists all blocks of the days. One response holds at most `max`: a full one is requested again in halves, down to
 * single days.
 */
async function listBlocks(list: (of: Days) => Promise<Listed[]>, of: Days, max: number): Promise<Listed[]> {
  const listed = await list(of);
  const days = (Date.parse(of.lastDay) - Date.parse(of.firstDay)) / DAY + 1;
  if (listed.length < max || days < 2) return listed;
  const middle = addDays(of.firstDay, Math.floor(days / 2));
  const halves = [
    { ...of, lastDay: addDays(middle, -1) },
    { ...of, firstDay: middle },
  ];
  return (await Promise.all(halves.map((half) => listBlocks(list, half, max)))).flat();
}

/**
 * Returns the occurrences of the blocks in those days. Acuity lists a repeating block by its first occurrence; if it
 * lists each one, duplicates are removed.
 */
function occurrences(blocks: Listed[], of: Days, zoneOf: (calendarId: number) => string | null): ProviderBlock[] {
  const all = blocks.flatMap((block) => timesOf(block, of, zoneOf(block.calendarId) ?? 'UTC'));
  return [...new Map(all.map((one) => [`${one.calendarId} ${+one.startAt} ${+one.endAt}`, one])).values()];
}

/** Repeats by the calendar's clock. The account's zone is unknown here, so one more day on either side is included. */
function timesOf({ calendarId, startAt, endAt, everyDays, lastDay }: Listed, of: Days, zone: string): ProviderBlock[] {
  if (everyDays === null) return [{ calendarId, startAt, endAt }];
  const from = Date.parse(of.firstDay) - DAY;
  const until = Date.parse(of.lastDay) + 2 * DAY;
  const first = toMinute(startAt);
  const blocks: ProviderBlock[] = [];
  for (let days = everyDays * Math.max(0, Math.floor((from - +endAt) / (everyDays * DAY))); ; days += everyDays) {
    const moved = first + (days * DAY) / MINUTE;
    const begins = fromMinute(moved + offsetAt(first, zone) - offsetAt(moved, zone));
    if (+begins >= until || (lastDay !== null && localDay(toMinute(begins), zone) > lastDay)) return blocks;
    const ends = new Date(+begins + (+endAt - +startAt));
    if (+ends > from) blocks.push({ calendarId, startAt: begins, endAt: ends });
  }
}
