import { z } from 'zod';
import { isZone } from '../core/zone.ts';
import { reasonOf } from './acuity-http.ts';
import {
  type AppointmentListing,
  LARGEST_ID,
  type ProviderAppointment,
  type ProviderAppointmentType,
  type ProviderCalendar,
} from './scheduling-provider.ts';

/** The most appointments in one response when all are compared. */
export const LIST_MAX = 500;

/** The service writes an appointment's location into this form and question; the names must match exactly. */
export const LOCATION = 'Location';

const Id = z.int().max(LARGEST_ID);

/** Parses `2022-06-28T14:00:00+0800`: Acuity's offset has no colon. */
export const ZonedTime = z
  .string()
  .transform((text) => new Date(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')))
  .refine((at) => !Number.isNaN(at.getTime()), 'must be a datetime');

/** Null if Acuity has no zone, or an unknown one. */
const Zone = z.preprocess((zone) => (typeof zone === 'string' && isZone(zone) ? zone : null), z.string().nullable());
export const Me = z.object({ id: z.int(), email: z.string().nullish(), timezone: Zone, name: z.string().nullish() });
/** A missing name in Acuity's settings is reported as a finding; it must not make the rest unreadable. */
const Named = z
  .string()
  .nullish()
  .transform((name) => name?.trim() ?? '');
export const Type = z
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
  .transform(
    (type): ProviderAppointmentType => ({
      id: type.id,
      name: type.name,
      offered: type.active && type.type === 'service',
      bookable: type.active && type.type === 'service' && type.name !== '' && type.duration > 0,
      description: type.description || null,
      durationMinutes: type.duration,
      paddingBeforeMinutes: type.paddingBefore ?? 0,
      paddingAfterMinutes: type.paddingAfter ?? 0,
      calendarIds: type.calendarIDs,
    }),
  );
export const Calendar = z
  .object({ id: z.int(), name: z.string(), email: z.string().nullish(), timezone: Zone })
  .transform(
    ({ id, name, email, timezone }): ProviderCalendar => ({
      id,
      name,
      timeZone: timezone ?? '',
      emails: (email ?? '').split(',').flatMap((one) => one.trim().toLowerCase() || []),
    }),
  );
export const Form = z
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
export const Appointment = z
  .object({
    id: Id,
    firstName: z.string().nullish(),
    lastName: z.string().nullish(),
    email: z.string().nullish(),
    phone: z.string().nullish(),
    datetime: ZonedTime,
    /** An appointment without a valid duration blocks its first minute; it must not be ignored. */
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
  .transform(
    (it): ProviderAppointment => ({
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
      location: locationIn(it.forms ?? []),
      fieldValues: (it.forms ?? []).flatMap((form) => form.values.flatMap(({ value }) => value ?? [])),
    }),
  );
export const Listing = z.array(z.object({ id: z.int() }).loose()).transform((all): AppointmentListing => {
  const read = all.map((one) => ({ id: one.id, appointment: Appointment.safeParse(one) }));
  return {
    items: read.flatMap(({ appointment }) => (appointment.success ? [appointment.data] : [])),
    unreadable: read.flatMap(({ id, appointment }) => (appointment.success ? [] : [id])),
    isFull: all.length >= LIST_MAX,
  };
});
export const Webhook = z.object({ id: z.int(), event: z.string(), target: z.string(), status: z.string().nullish() });

/** Acuity does not document the key of the reason; the emulator uses the shape of an error. */
export const Checked = z
  .object({ valid: z.boolean(), error: z.string().nullish() })
  .transform(({ valid, error }) => ({ isFree: valid, reason: error == null ? null : reasonOf(error) }));

export type AcuityMe = z.infer<typeof Me>;
export type AcuityForm = z.infer<typeof Form>;
export type AcuityWebhook = z.infer<typeof Webhook>;

/** Returns the id of the type's Location question, or null when the form or question is missing. */
export function locationField(forms: AcuityForm[], typeId: number): number | null {
  for (const form of forms) {
    if (form.name !== LOCATION || !form.typeIds.includes(typeId)) continue;
    const field = form.fields.find(({ name }) => name === LOCATION);
    if (field) return field.id;
  }
  return null;
}

type FilledForm = { name: string; values: { name: string; value?: string | null | undefined }[] };

function locationIn(forms: FilledForm[]): string | null {
  const entries = forms.filter(({ name }) => name === LOCATION).flatMap(({ values }) => values);
  return entries.find(({ name }) => name === LOCATION)?.value || null;
}
