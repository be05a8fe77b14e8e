import { z } from 'zod';
import type { WeeklyHours, Window } from './availability.ts';
import { APPOINTMENT_EVENTS, FIELD_TYPES } from './state.ts';
import { isZone } from './zone.ts';

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const WindowText = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d-(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'Write hours like 09:00-17:00.')
  .refine((text) => text.slice(0, 5) < text.slice(6), 'Hours must end after they begin.');

/** For example `{monday: ['09:00-12:00', '13:00-17:00']}`; an omitted day is closed. */
export const WeeklyHoursInput = z
  .strictObject(Object.fromEntries(WEEKDAYS.map((day) => [day, z.array(WindowText).optional()])))
  .transform((days): WeeklyHours => WEEKDAYS.map((day) => (days[day] ?? []).map(toWindow).sort(byStart)));

const byStart = (a: Window, b: Window) => a.startMinute - b.startMinute;

function toWindow(text: string): Window {
  const [startMinute = 0, endMinute = 0] = text.split('-').map((time) => {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    return hour * 60 + minute;
  });
  return { startMinute, endMinute };
}

const Id = z.int().positive();
const Minutes = z.int().min(0).max(1440);
const Price = z.string().regex(/^\d+\.\d{2}$/, 'Enter an amount such as 45.00.');
const Zone = z.string().refine(isZone, 'There is no such time zone. Enter one such as America/New_York.');

const AppointmentTypeInput = z.strictObject({
  id: Id,
  name: z.string(),
  active: z.boolean().default(true),
  deleted: z.boolean().default(false),
  description: z.string().default(''),
  duration: Minutes,
  price: Price.default('0.00'),
  category: z.string().default(''),
  color: z.string().default('#0088CC'),
  private: z.boolean().default(false),
  paddingBefore: Minutes.default(0),
  paddingAfter: Minutes.default(0),
  /** Default: every calendar. */
  calendarIDs: z.array(Id).optional(),
  addonIDs: z.array(Id).default([]),
  kind: z.enum(['service', 'class', 'series']).default('service'),
  classSize: z.int().min(1).nullable().default(null),
  image: z.string().default(''),
});

const ClassTimeInput = z.strictObject({
  id: Id,
  typeId: Id,
  calendarId: Id,
  startAt: z.int(),
  endAt: z.int(),
});

const ProductInput = z.strictObject({
  id: Id,
  name: z.string().min(1),
  description: z.string().default(''),
  price: Price.default('0.00'),
  hidden: z.boolean().default(false),
  deleted: z.boolean().default(false),
  appointmentTypeIDs: z.array(Id).min(1),
  counts: z.int().min(1).nullable().default(null),
  minutes: z.int().min(1).nullable().default(null),
  expiresInDays: z.int().min(0).nullable().default(null),
});

const CouponInput = z.strictObject({
  id: Id,
  name: z.string().min(1),
  appointmentTypeIDs: z.array(Id).min(1),
  uses: z.int().min(1).default(1),
});

const OrderInput = z.strictObject({
  id: Id,
  total: Price,
  status: z.enum(['delivered', 'paid', 'unpaid']).default('paid'),
  at: z.int(),
  firstName: z.string(),
  lastName: z.string(),
  phone: z.string().default(''),
  email: z.string().default(''),
  title: z.string(),
  notes: z.string().default(''),
});

const CalendarInput = z.strictObject({
  id: Id,
  name: z.string().min(1),
  email: z.string().default(''),
  description: z.string().default(''),
  location: z.string().default(''),
  timezone: Zone.or(z.literal('')).optional(),
  image: z.string().default(''),
  subCalendarID: Id.nullable().default(null),
});

const FieldInput = z.strictObject({
  id: Id,
  name: z.string(),
  required: z.boolean().default(false),
  type: z.enum(FIELD_TYPES).default('textbox'),
  options: z.array(z.string()).nullable().default(null),
  lines: z.int().optional(),
});

const FormInput = z.strictObject({
  id: Id,
  name: z.string(),
  description: z.string().default(''),
  hidden: z.boolean().default(false),
  /** Default: every type. */
  appointmentTypeIDs: z.array(Id).optional(),
  fields: z.array(FieldInput),
});

const LimitsInput = z.strictObject({
  interval: Minutes.min(5).optional(),
  minHoursInAdvance: z.number().min(0).optional(),
  maxDaysInAdvance: z.number().min(1).max(730).optional(),
  clientsMayCancel: z.boolean().optional(),
  clientsMayReschedule: z.boolean().optional(),
  minHoursToChange: z.number().min(0).optional(),
});

/**
 * Account settings that the controls accept. `clinic` selects the fictional
 * clinic that provides omitted keys; `hours` are keyed by calendar id.
 */
export const AccountInput = z.strictObject({
  apiKey: z.string().min(1).optional(),
  clinic: z.enum(['riverbend', 'riverbend-with-walk-in']).optional(),
  name: z.string().optional(),
  email: z.string().optional(),
  timezone: Zone.optional(),
  plan: z.string().min(1).optional(),
  limits: LimitsInput.optional(),
  types: z.array(AppointmentTypeInput).max(100).optional(),
  calendars: z.array(CalendarInput).max(500).optional(),
  hours: z.record(z.string().regex(/^\d+$/), WeeklyHoursInput).optional(),
  forms: z.array(FormInput).max(100).optional(),
  labels: z.array(z.strictObject({ id: Id, name: z.string(), color: z.string() })).optional(),
  addons: z
    .array(z.strictObject({ id: Id, name: z.string(), duration: Minutes, price: Price, private: z.boolean() }))
    .optional(),
  classes: z.array(ClassTimeInput).optional(),
  products: z.array(ProductInput).optional(),
  coupons: z.array(CouponInput).optional(),
  orders: z.array(OrderInput).optional(),
  webhooks: z.array(z.strictObject({ url: z.url(), event: z.enum(APPOINTMENT_EVENTS).optional() })).optional(),
});
export type AccountInput = z.infer<typeof AccountInput>;
