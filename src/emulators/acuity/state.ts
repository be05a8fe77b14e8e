import type { Span, WeeklyHours } from './availability.ts';
import type { LocalDate } from './zone.ts';

/**
 * Plain JSON throughout. Instants are milliseconds since 1970 and their names end in `At`; durations are in minutes.
 */
export interface AcuityState {
  accounts: Record<string, Account>;
  /** Ids are unique across accounts, as in Acuity. */
  nextId: number;
}

export interface Account {
  userId: string;
  apiKey: string;
  name: string;
  email: string;
  timezone: string;
  /** The subscription plan: only `Powerhouse` may use the API. */
  plan: string;
  limits: Limits;
  types: AppointmentType[];
  calendars: Calendar[];
  forms: Form[];
  labels: Label[];
  addons: Addon[];
  /** Times of classes and series; services are offered during the calendars' hours. */
  classes: ClassTime[];
  products: Product[];
  coupons: Coupon[];
  certificates: Certificate[];
  orders: Order[];
  appointments: Appointment[];
  blocks: Block[];
  clients: Client[];
  /** Created by `POST /webhooks`. */
  dynamicWebhooks: { id: number; event: string; target: string }[];
  /** Set in the account's settings. A webhook without an event receives all four. */
  staticWebhooks: { url: string; event?: AppointmentEvent }[];
  /** Webhook loss and delay, set in the console or by a trigger, to test how the product handles them. */
  traffic: WebhookTraffic;
  /** Active breaks: the data that each repair needs, by code. */
  broken: Record<string, unknown>;
  /** Emails that Acuity would have sent to clients. */
  emails: { kind: AppointmentEvent; to: string; appointmentID: number; at: number }[];
}

export const APPOINTMENT_EVENTS = ['scheduled', 'rescheduled', 'canceled', 'changed'] as const;
export type AppointmentEvent = (typeof APPOINTMENT_EVENTS)[number];

export interface WebhookTraffic {
  /** Which webhooks to drop without retry: all, the next few, or a seeded share. Null drops none. */
  drop: { all: true } | { next: number } | { share: number; seed: number; drawn: number } | null;
  delayMs: number;
  /** Dropped webhooks, newest last, so that they can be sent later. */
  lost: LostWebhook[];
}

export interface LostWebhook {
  url: string;
  action: string;
  body: string;
  at: number;
}

export interface Limits {
  interval: number;
  minHoursInAdvance: number;
  maxDaysInAdvance: number;
  clientsMayCancel: boolean;
  clientsMayReschedule: boolean;
  /** Hours before the start within which a client can neither cancel nor reschedule. */
  minHoursToChange: number;
}

export interface AppointmentType {
  id: number;
  name: string;
  active: boolean;
  deleted: boolean;
  description: string;
  duration: number;
  price: string;
  category: string;
  color: string;
  private: boolean;
  paddingBefore: number;
  paddingAfter: number;
  calendarIDs: number[];
  addonIDs: number[];
  kind: 'service' | 'class' | 'series';
  /** Places in a class. */
  classSize: number | null;
  image: string;
}

/** One time of a class or a series. */
export interface ClassTime extends Span {
  id: number;
  typeId: number;
  calendarId: number;
}

export interface Calendar {
  id: number;
  name: string;
  email: string;
  description: string;
  location: string;
  /** Empty is a misconfiguration; the business's time zone then applies. */
  timezone: string;
  hours: WeeklyHours;
  image: string;
  /** The calendar that shares this calendar's time, returned with appointments. */
  subCalendarID: number | null;
}

export const FIELD_TYPES = [
  'textbox',
  'textarea',
  'dropdown',
  'checkbox',
  'checkboxlist',
  'yesno',
  'file',
  'address',
] as const;

export interface Field {
  id: number;
  name: string;
  required: boolean;
  type: (typeof FIELD_TYPES)[number];
  options: string[] | null;
  lines?: number | undefined;
}

export interface Form {
  id: number;
  name: string;
  description: string;
  /** An internal form: not shown to clients, so its required fields do not apply to them. */
  hidden: boolean;
  appointmentTypeIDs: number[];
  fields: Field[];
}

export interface Label {
  id: number;
  name: string;
  color: string;
}

export interface Addon {
  id: number;
  name: string;
  duration: number;
  price: string;
  private: boolean;
}

/** A package: its certificate covers a number of appointments or minutes. */
export interface Product {
  id: number;
  name: string;
  description: string;
  price: string;
  hidden: boolean;
  deleted: boolean;
  appointmentTypeIDs: number[];
  /** Appointments of each type, or minutes of any type. */
  counts: number | null;
  minutes: number | null;
  expiresInDays: number | null;
}

/** A discount code with a number of uses. */
export interface Coupon {
  id: number;
  name: string;
  appointmentTypeIDs: number[];
  uses: number;
}

export interface Certificate {
  id: number;
  code: string;
  productID: number | null;
  couponID: number | null;
  orderID: number | null;
  appointmentTypeIDs: number[];
  name: string;
  /** The client who may use it; empty for any client. */
  email: string;
  /** Keyed by type id. */
  remainingCounts: Record<string, number> | null;
  remainingMinutes: number | null;
  expiresAt: number | null;
}

export interface Order {
  id: number;
  total: string;
  status: 'delivered' | 'paid' | 'unpaid';
  at: number;
  firstName: string;
  lastName: string;
  phone: string;
  email: string;
  title: string;
  notes: string;
}

export interface Answer {
  id: number;
  fieldID: number;
  value: string;
}

export interface Appointment extends Span {
  id: number;
  firstName: string;
  lastName: string;
  phone: string;
  email: string;
  typeId: number;
  typeName: string;
  calendarId: number;
  duration: number;
  price: string;
  addonIDs: number[];
  timezone: string;
  notes: string;
  labelIDs: number[];
  certificate: string | null;
  classId: number | null;
  /** The client has verified the email address. */
  isVerified: boolean;
  answers: Answer[];
  createdAt: number;
  canceled: boolean;
  noShow: boolean;
  cancelNote: string;
  scheduledBy: string | null;
  /** The unguessable part of the client's confirmation page. */
  hash: string;
}

export interface Block extends Span {
  id: number;
  calendarId: number;
  notes: string;
  /** Repeats in the calendar's local time, up to and including the date `until`, or without end. */
  recurring: 'daily' | 'weekly' | null;
  until: LocalDate | null;
}

/** Has no id in the API: names and phone identify a client. */
export interface Client {
  firstName: string;
  lastName: string;
  phone: string;
  email: string;
  notes: string;
}

export const emptyState = (): AcuityState => ({ accounts: {}, nextId: 4_100_001 });

/** The only plan with API access; lower plans get 403. */
export const API_PLAN = 'Powerhouse';
export const PLANS = ['Emerging', 'Growing', API_PLAN] as const;

export const hasApi = ({ plan }: Account): boolean => plan === API_PLAN;
