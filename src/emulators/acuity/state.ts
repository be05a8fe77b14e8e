import type { Span, WeeklyHours } from './availability.ts';
import type { LocalDate } from './zone.ts';

/** Everything below is plain JSON. Instants are epoch milliseconds and end in `At`; lengths are minutes. */
export interface AcuityState {
  accounts: Record<string, Account>;
  /** Ids are unique across accounts, as at the real service. */
  nextId: number;
}

export interface Account {
  userId: string;
  apiKey: string;
  name: string;
  email: string;
  timezone: string;
  /** What is paid for: `Powerhouse` and above may use the API. */
  plan: string;
  limits: Limits;
  types: AppointmentType[];
  calendars: Calendar[];
  forms: Form[];
  labels: Label[];
  addons: Addon[];
  /** The times of classes and series; services are offered by calendars' hours. */
  classes: ClassTime[];
  products: Product[];
  coupons: Coupon[];
  certificates: Certificate[];
  orders: Order[];
  appointments: Appointment[];
  blocks: Block[];
  clients: Client[];
  /** Made by `POST /webhooks`. */
  dynamicWebhooks: { id: number; event: string; target: string }[];
  /** Set by hand in the account's settings. Without an event, all four. */
  staticWebhooks: { url: string; event?: AppointmentEvent }[];
  /** How webhooks are kept back; by the page, for what a lost one does. */
  traffic: WebhookTraffic;
  /** What was broken on purpose: its code, and what puts it right again. */
  broken: Record<string, unknown>;
  /** Mails that the service would have sent to clients. */
  emails: { kind: AppointmentEvent; to: string; appointmentID: number; at: number }[];
}

export const APPOINTMENT_EVENTS = ['scheduled', 'rescheduled', 'canceled', 'changed'] as const;
export type AppointmentEvent = (typeof APPOINTMENT_EVENTS)[number];

export interface WebhookTraffic {
  /** What is sent to nobody and never tried again: all, the next few, or a share by a seed. Null loses nothing. */
  drop: { all: true } | { next: number } | { share: number; seed: number; drawn: number } | null;
  delayMs: number;
  /** What was lost, the newest last, so that it can be sent after all. */
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
  /** Inside this many hours before the start a client can neither cancel nor reschedule. */
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
  /** Empty is a fault of the settings; times are then the business's. */
  timezone: string;
  hours: WeeklyHours;
  image: string;
  /** Of the calendar that shares this one's time, as appointments name it. */
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
  /** An internal form: clients never see it, so its required fields do not bind them. */
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

/** A package, of which a certificate gives so many visits or minutes. */
export interface Product {
  id: number;
  name: string;
  description: string;
  price: string;
  hidden: boolean;
  deleted: boolean;
  appointmentTypeIDs: number[];
  /** Visits of each type, or minutes of any. */
  counts: number | null;
  minutes: number | null;
  expiresInDays: number | null;
}

/** A code that takes something off, so many times. */
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
  /** Whose it is; empty is anybody's. */
  email: string;
  /** By type's id. */
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
  /** The client has shown that the address is theirs. */
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
  /** Comes again by the calendar's clock, until the end of a day of its zone or without an end. */
  recurring: 'daily' | 'weekly' | null;
  until: LocalDate | null;
}

/** Has no id on the wire: names and phone identify it. */
export interface Client {
  firstName: string;
  lastName: string;
  phone: string;
  email: string;
  notes: string;
}

export const emptyState = (): AcuityState => ({ accounts: {}, nextId: 4_100_001 });
