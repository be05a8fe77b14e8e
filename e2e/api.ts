import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AvailabilityView } from '#contract/availability.ts';
import type { PatientView } from '#contract/patients.ts';
import type { PaymentView } from '#contract/payments.ts';
import type { AppointmentTypeView, AppointmentView } from '#contract/scheduling.ts';
import type { PlanView, SubscriptionView } from '#contract/subscriptions.ts';
import { readCard } from './card.ts';

/** Requests a token by client credentials (RFC 6749 §4.4); resolves to the response, for any status. */
export function requestToken(clientId: string, clientSecret: string): Promise<Response> {
  return fetch(readCard().auth_url, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
}

export async function tokenOf(response: Response): Promise<string> {
  if (response.status !== 200) throw new Error(`no token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Calls the REST API as a server application does; resolves to the response, for any status. */
export function requestApi(token: string, path: string, body?: object): Promise<Response> {
  return fetch(`${readCard().base_url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

export type Api = ReturnType<typeof createApi>;

/** Creates data that tests need before a browser opens. Names are unique, so that runs do not interfere. */
export function createApi(token: string) {
  /** Appointments of `book` that `releaseSlots` has not canceled yet. */
  let booked: AppointmentView[] = [];
  async function call<View>(path: string, body?: object): Promise<View> {
    let response = await requestApi(token, path, body);
    // Slots that no client has requested yet may take longer than the server waits: it responds with 503 and
    // Retry-After.
    for (let attempt = 1; response.status === 503 && path.startsWith('/availability') && attempt < 4; attempt += 1) {
      await pause(Number(response.headers.get('retry-after') ?? 1) * 1000);
      response = await requestApi(token, path);
    }
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as View;
  }
  return {
    call,
    createPatient(first_name = 'Ada'): Promise<PatientView> {
      const suffix = randomSuffix();
      return call('/patients', {
        first_name,
        last_name: `Example ${suffix}`,
        email: `ada-${suffix}@patients.example.test`,
      });
    },
    async subscribe(patientId: string, kind: 'paid' | 'trial'): Promise<SubscriptionView> {
      const plans = await call<PlanView[]>('/subscription_plans');
      const plan = plans.find(
        (candidate) => candidate.recurring && Boolean(candidate.trial_period_in_days) === (kind === 'trial'),
      );
      if (!plan) throw new Error(`no ${kind} plan is offered`);
      return call('/subscriptions', { patient_id: patientId, price_ids: [plan.id] });
    },
    subscription: (id: string) => call<SubscriptionView>(`/subscriptions/${id}`),
    payments: (subscriptionId: string) => call<PaymentView[]>(`/payments?subscription_id=${subscriptionId}`),
    /**
     * Books the last available slot of the week. The time zone is fixed because pages name it, and calendars differ.
     */
    async book(patientId: string, { zone = 'America/New_York' } = {}): Promise<AppointmentView> {
      const [type] = await call<AppointmentTypeView[]>('/appointment_types');
      const today = new Date().toISOString().slice(0, 10);
      const slots = await call<AvailabilityView[]>(`/availability?appointment_type_id=${type?.id}&from_date=${today}`);
      // Several calendars have the last slot of the week; a patient who has one of them cannot book another.
      const appointments = await call<AppointmentView[]>(`/appointments?patient_id=${patientId}`);
      const isTaken = (slot: AvailabilityView) =>
        appointments.some(
          ({ from_date, to_date }) =>
            Date.parse(slot.from_date) < Date.parse(to_date) && Date.parse(from_date) < Date.parse(slot.to_date),
        );
      const slot = slots.findLast((candidate) => candidate.time_zone === zone && !isTaken(candidate));
      if (!slot) throw new Error(`no slot in ${zone} is free this week`);
      const { appointment_type_id, calendar_id, from_date } = slot;
      const body = { patient_id: patientId, appointment_type_id, calendar_id, from_date };
      const appointment = await call<AppointmentView>('/appointments', body);
      booked.push(appointment);
      return appointment;
    },
    /** Excludes the slots booked until now from `releaseSlots`: those of a `beforeAll` hook. */
    keepSlots(): void {
      booked = [];
    },
    /** Cancels what was booked since `keepSlots`. Error responses are ignored: a test may have canceled it already. */
    async releaseSlots(): Promise<void> {
      await Promise.all(booked.map(({ id }) => requestApi(token, `/appointments/${id}/cancel`, {})));
      booked = [];
    },
    cancelAppointment: (id: string) => call<AppointmentView>(`/appointments/${id}/cancel`, {}),
    appointmentsOf: (patientId: string) => call<AppointmentView[]>(`/appointments?patient_id=${patientId}`),
  };
}

/** Letters and digits that are unique to this run. */
export const randomSuffix = (): string => randomBytes(4).toString('hex');

export const patientName = ({ first_name, last_name }: PatientView): string => `${first_name} ${last_name}`;

/** Sent by our own pages with every request that changes data; another website's form cannot send it. */
export const PORTAL_HEADERS = { 'x-carelane-portal': '1' };
