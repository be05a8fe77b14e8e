import { z } from 'zod';
import {
  CreatePatientInput,
  ListPatientsInput,
  NoInput,
  PatientIdInput,
  PatientView,
  UpdatePatientInput,
} from './patients.ts';
import {
  AppointmentIdInput,
  AppointmentTypeView,
  AppointmentView,
  AvailabilityView,
  BookAppointmentInput,
  CalendarView,
  ListAppointmentsInput,
  ListAppointmentTypesInput,
  ListAvailabilityInput,
  ListCalendarsInput,
  RescheduleAppointmentInput,
} from './scheduling.ts';
import type { Scope } from './scopes.ts';
import {
  CancelSubscriptionInput,
  CreateSubscriptionInput,
  ListPlansInput,
  ListSubscriptionsInput,
  PlanView,
  SubscriptionIdInput,
  SubscriptionView,
} from './subscriptions.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One public endpoint: what dispatches it, documents it, and what the tests walk. */
export type Route = {
  method: Method;
  /** Below `/api/v1`, with `{name}` for parts that become input. */
  path: string;
  /** In `appRouter`. */
  procedure: string;
  summary: string;
  tag: string;
  input: z.ZodObject;
  output: z.ZodType;
  /** 200 unless said. */
  status?: 200 | 201;
  /** `page`: the procedure gives a Page, sent as a bare array with a Link header. `array`: a bare array. */
  list?: 'page' | 'array';
  /** The scope an application needs. */
  scope: Scope;
  /** Whether a patient may call it (for its own records), besides applications. */
  patient: boolean;
  /** Only a patient may call it, whatever an application's scopes. */
  patientOnly?: true;
  /** The singular name under which a body may be wrapped. */
  wrapper?: string;
};

const p = { tag: 'Patients' };
const s = { tag: 'Subscriptions' };
const a = { tag: 'Scheduling' };

/** Every public endpoint. */
export const ROUTES: Route[] = [
  {
    ...p,
    method: 'GET',
    path: '/patients',
    procedure: 'patients.list',
    summary: 'List patients',
    input: ListPatientsInput,
    output: z.array(PatientView),
    list: 'page',
    scope: 'patients:read',
    patient: false,
  },
  {
    ...p,
    method: 'POST',
    path: '/patients',
    procedure: 'patients.create',
    summary: 'Create a patient who is reached by impersonation only',
    input: CreatePatientInput,
    output: PatientView,
    status: 201,
    scope: 'patients:write',
    patient: false,
    wrapper: 'patient',
  },
  {
    ...p,
    method: 'GET',
    path: '/patients/me',
    procedure: 'patients.me',
    summary: 'Read the signed-in patient',
    input: NoInput,
    output: PatientView,
    scope: 'patients:read',
    patient: true,
    patientOnly: true,
  },
  {
    ...p,
    method: 'GET',
    path: '/patients/{id}',
    procedure: 'patients.get',
    summary: 'Read a patient',
    input: PatientIdInput,
    output: PatientView,
    scope: 'patients:read',
    patient: true,
  },
  {
    ...p,
    method: 'PATCH',
    path: '/patients/{id}',
    procedure: 'patients.update',
    summary: 'Update a patient',
    input: UpdatePatientInput,
    output: PatientView,
    scope: 'patients:write',
    patient: true,
    wrapper: 'patient',
  },
  {
    ...p,
    method: 'DELETE',
    path: '/patients/{id}/archive',
    procedure: 'patients.archive',
    summary: 'Archive a patient: sessions end, no new bookings or subscriptions',
    input: PatientIdInput,
    output: PatientView,
    scope: 'patients:write',
    patient: false,
  },
  {
    ...s,
    method: 'GET',
    path: '/subscription_plans',
    procedure: 'plans.list',
    summary: 'List plans',
    input: ListPlansInput,
    output: z.array(PlanView),
    list: 'page',
    scope: 'subscriptions:read',
    patient: true,
  },
  {
    ...s,
    method: 'GET',
    path: '/subscriptions',
    procedure: 'subscriptions.list',
    summary: 'List subscriptions; a patient must name itself in patient_id',
    input: ListSubscriptionsInput,
    output: z.array(SubscriptionView),
    list: 'page',
    scope: 'subscriptions:read',
    patient: true,
  },
  {
    ...s,
    method: 'POST',
    path: '/subscriptions',
    procedure: 'subscriptions.create',
    summary: 'Create a subscription, incomplete until paid',
    input: CreateSubscriptionInput,
    output: SubscriptionView,
    status: 201,
    scope: 'subscriptions:write',
    patient: true,
    wrapper: 'subscription',
  },
  {
    ...s,
    method: 'GET',
    path: '/subscriptions/{id}',
    procedure: 'subscriptions.get',
    summary: 'Read a subscription',
    input: SubscriptionIdInput,
    output: SubscriptionView,
    scope: 'subscriptions:read',
    patient: true,
  },
  {
    ...s,
    method: 'POST',
    path: '/subscriptions/{id}/cancel',
    procedure: 'subscriptions.cancel',
    summary: 'Cancel now, or at the end of the billing period',
    input: CancelSubscriptionInput,
    output: SubscriptionView,
    scope: 'subscriptions:write',
    patient: true,
    wrapper: 'subscription',
  },
  ...['/appointment_types', '/appointments/types'].map(
    (path): Route => ({
      ...a,
      method: 'GET',
      path,
      procedure: 'scheduling.listAppointmentTypes',
      summary: 'List appointment types',
      input: ListAppointmentTypesInput,
      output: z.array(AppointmentTypeView),
      list: 'page',
      scope: 'appointments:read',
      patient: true,
    }),
  ),
  {
    ...a,
    method: 'GET',
    path: '/calendars',
    procedure: 'scheduling.listCalendars',
    summary: 'List calendars',
    input: ListCalendarsInput,
    output: z.array(CalendarView),
    list: 'page',
    scope: 'appointments:read',
    patient: true,
  },
  {
    ...a,
    method: 'GET',
    path: '/availability',
    procedure: 'scheduling.listAvailability',
    summary: 'List free times of at most seven days, ascending',
    input: ListAvailabilityInput,
    output: z.array(AvailabilityView),
    list: 'array',
    scope: 'appointments:read',
    patient: true,
  },
  {
    ...a,
    method: 'GET',
    path: '/appointments',
    procedure: 'appointments.list',
    summary: 'List booked appointments; canceled ones only when status asks',
    input: ListAppointmentsInput,
    output: z.array(AppointmentView),
    list: 'page',
    scope: 'appointments:read',
    patient: true,
  },
  {
    ...a,
    method: 'POST',
    path: '/appointments',
    procedure: 'appointments.book',
    summary: 'Book an offered time',
    input: BookAppointmentInput,
    output: AppointmentView,
    status: 201,
    scope: 'appointments:write',
    patient: true,
    wrapper: 'appointment',
  },
  {
    ...a,
    method: 'GET',
    path: '/appointments/{id}',
    procedure: 'appointments.get',
    summary: 'Read an appointment',
    input: AppointmentIdInput,
    output: AppointmentView,
    scope: 'appointments:read',
    patient: true,
  },
  {
    ...a,
    method: 'POST',
    path: '/appointments/{id}/cancel',
    procedure: 'appointments.cancel',
    summary: 'Cancel; the time is free again at once',
    input: AppointmentIdInput,
    output: AppointmentView,
    scope: 'appointments:write',
    patient: true,
    wrapper: 'appointment',
  },
  {
    ...a,
    method: 'POST',
    path: '/appointments/{id}/reschedule',
    procedure: 'appointments.reschedule',
    summary: 'Move to another offered time of the same calendar; id and video link stay',
    input: RescheduleAppointmentInput,
    output: AppointmentView,
    scope: 'appointments:write',
    patient: true,
    wrapper: 'appointment',
  },
];
