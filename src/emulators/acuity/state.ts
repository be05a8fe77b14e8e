import type { Span, WeeklyHours } from './availability.ts';

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
  limits: Limits;
  types: AppointmentType[];
  calendars: Calendar[];
  forms: Form[];
  labels: Label[];
  addons: Addon[];
  appointments: Appointment[];
  blocks: Block[];
  clients: Client[];
  /** Made by `POST /webhooks`. */
  dynamicWebhooks: { id: number; event: string; target: string }[];
  /** Set by hand in the account's settings. Without an event, all four. */
  staticWebhooks: { url: string; event?: AppointmentEvent }[];
  /** Mails that the service would have sent to clients. */
  emails: { kind: AppointmentEvent; to: string; appointmentID: number; at: number }[];
}

export const APPOINTMENT_EVENTS = ['scheduled', 'rescheduled', 'canceled', 'changed'] as const;
export type AppointmentEvent = (typeof APPOINTMENT_EVENTS)[number];

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
}

export interface Calendar {
  id: number;
  name: string;
  email: string;
  description: string;
  location: string;
  timezone: string;
  hours: WeeklyHours;
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
