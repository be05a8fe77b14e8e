import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AvailabilityView } from '#contract/availability.ts';
import type { PatientView } from '#contract/patients.ts';
import type { AppointmentTypeView, AppointmentView } from '#contract/scheduling.ts';
import type { PlanView, SubscriptionView } from '#contract/subscriptions.ts';

type Target = { baseUrl: string; authUrl: string; clientId: string; clientSecret: string; stripeUrl: string };
type Card = {
  base_url: string;
  auth_url: string;
  client_id: string;
  client_secret: string;
  emulators: { stripe?: string | null };
};

const CARD = '.run/card.json';

/** Reads the target and its credentials: from the options, else from the card that `npm start` wrote. */
export function readTarget(options: Record<string, string | boolean | undefined>): Target {
  const card: Card | null = existsSync(CARD) ? JSON.parse(readFileSync(CARD, 'utf8')) : null;
  const option = (name: string, env?: string) => (options[name] as string | undefined) ?? (env && process.env[env]);
  const baseUrl = (option('base-url') ?? card?.base_url)?.replace(/\/$/, '');
  if (!baseUrl) throw new Error('Start the service first (npm start), or name one with --base-url.');
  const ownCard = card?.base_url === baseUrl ? card : null;
  const clientId = option('client-id', 'CARELANE_CLIENT_ID') ?? ownCard?.client_id;
  const clientSecret = option('client-secret', 'CARELANE_CLIENT_SECRET') ?? ownCard?.client_secret;
  if (!clientId || !clientSecret)
    throw new Error('Name the application with --client-id and CARELANE_CLIENT_SECRET (or --client-secret).');
  return {
    baseUrl,
    authUrl: option('auth-url') ?? ownCard?.auth_url ?? baseUrl.replace(/\/api\/v1$/, '/identity/oauth2/token'),
    clientId,
    clientSecret,
    stripeUrl: (option('stripe-url') ?? ownCard?.emulators.stripe ?? 'https://api.stripe.com').replace(/\/$/, ''),
  };
}

type Api = {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
};

const TIMEOUT_MS = 20_000;

/** Throws an error with the response body for an unexpected status. */
async function expectStatus(response: Response, status: number, request: string): Promise<void> {
  if (response.status === status) return;
  throw new Error(`${request} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
}

/** A client for the public API, as an application would write it. */
function createApi(target: Target, accessToken: string): Api {
  const authorization = `Bearer ${accessToken}`;
  return {
    async get<T>(path: string) {
      const response = await fetch(`${target.baseUrl}${path}`, {
        headers: { authorization },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await expectStatus(response, 200, `GET ${path}`);
      return (await response.json()) as T;
    },
    async post<T>(path: string, body: unknown) {
      const response = await fetch(`${target.baseUrl}${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const creates = /^\/(patients|subscriptions|appointments)$/.test(path);
      await expectStatus(response, creates ? 201 : 200, `POST ${path}`);
      return (await response.json()) as T;
    },
  };
}

/** Runs steps in order and prints a line for each: number, name, duration and result. */
function createSteps(count: number) {
  let number = 0;
  return async function step<T>(name: string, work: () => Promise<T>, describe: (result: T) => string): Promise<T> {
    number += 1;
    const startedAt = performance.now();
    const label = `${String(number).padStart(2)}/${count} ${name}`;
    try {
      const result = await work();
      const duration = `${Math.round(performance.now() - startedAt)} ms`;
      console.log(`✓ ${label.padEnd(24)} ${duration.padStart(8)}  ${describe(result)}`);
      return result;
    } catch (error) {
      throw new Error(`${label}: ${error instanceof Error ? error.message : error}`);
    }
  };
}

/** Asserts a step's result; the words state the expectation. */
function check(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new Error(`expected ${expectation}`);
}

const GOOD_CARD = { number: '4242424242424242', exp_month: '12', exp_year: '2034', cvc: '123' };

/** Confirms the first payment with the publishable key and the client secret alone, as Stripe.js does in a browser. */
export async function pay(target: Pick<Target, 'stripeUrl'>, subscription: SubscriptionView): Promise<string> {
  const intent = subscription.latest_invoice?.payment_intent;
  check(subscription.next_action === 'payment', 'next_action to be "payment"');
  check(typeof intent?.client_secret === 'string', 'a client_secret in latest_invoice.payment_intent');
  const form = new URLSearchParams({
    key: subscription.payment_client.publishable_key,
    _stripe_account: subscription.payment_client.account_id,
    client_secret: intent.client_secret,
    'payment_method_data[type]': 'card',
  });
  for (const [name, value] of Object.entries(GOOD_CARD)) form.set(`payment_method_data[card][${name}]`, value);
  const path = `/v1/payment_intents/${intent.id}/confirm`;
  const response = await fetch(`${target.stripeUrl}${path}`, { method: 'POST', body: form });
  await expectStatus(response, 200, `POST ${path}`);
  const { status } = (await response.json()) as { status: string };
  check(status === 'succeeded', `the payment to succeed, and it is ${status}`);
  return status;
}

const ACTIVE_WITHIN_MS = 15_000;
const DAY_MS = 24 * 3_600_000;
const POLL_MS = 150;

const money = (minor: number, currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(minor / 100);

async function fetchToken(target: Target): Promise<string> {
  const basic = Buffer.from(`${encodeURIComponent(target.clientId)}:${encodeURIComponent(target.clientSecret)}`);
  const response = await fetch(target.authUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${basic.toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  await expectStatus(response, 200, 'The token address');
  const body = (await response.json()) as { access_token: string; token_type: string; expires_in: number };
  check(body.token_type === 'Bearer' && body.expires_in === 3600, 'a Bearer token of 60 minutes');
  return body.access_token;
}

async function waitUntilActive(api: Api, id: string): Promise<SubscriptionView> {
  const deadline = performance.now() + ACTIVE_WITHIN_MS;
  for (;;) {
    const subscription = await api.get<SubscriptionView>(`/subscriptions/${id}`);
    if (subscription.status === 'active') return subscription;
    check(performance.now() < deadline, `the subscription to become active, and it is ${subscription.status}`);
    await sleep(POLL_MS);
  }
}

/**
 * Returns the slots of the first type with availability in the week from tomorrow: today's next slot may soon be too
 * short notice.
 */
async function listSlots(api: Api): Promise<AvailabilityView[]> {
  const types = await api.get<AppointmentTypeView[]>('/appointment_types');
  check(types.length > 0, 'an appointment type');
  const from = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
  for (const type of types) {
    const slots = await api.get<AvailabilityView[]>(`/availability?appointment_type_id=${type.id}&from_date=${from}`);
    check(
      slots.every((slot, i) => i === 0 || Date.parse(slots[i - 1]!.from_date) <= Date.parse(slot.from_date)),
      'free times in order',
    );
    if (slots.length > 1) return slots;
  }
  throw new Error('expected two free times in the next seven days');
}

/** From a new patient to a paid subscription and a booked appointment; throws at the first unexpected result. */
export async function runDemo(target: Target): Promise<void> {
  const startedAt = performance.now();
  const suffix = randomBytes(4).toString('hex');
  const step = createSteps(11);
  const api = createApi(
    target,
    await step(
      'token',
      () => fetchToken(target),
      () => 'client credentials, 60 minutes',
    ),
  );
  const patient = await step(
    'create patient',
    () =>
      api.post<PatientView>('/patients', {
        first_name: 'Demo',
        last_name: `Example ${suffix}`,
        email: `demo-${suffix}@patients.example.test`,
        phone_number: '+12025550142',
      }),
    (view) => `${view.id}, ${view.phone_number}`,
  );
  check(patient.can_sign_in === false && patient.status === 'active', 'an active patient who cannot sign in');
  const plans = await step(
    'plans',
    () => api.get<PlanView[]>('/subscription_plans'),
    (views) => views.map((plan) => plan.name).join(', '),
  );
  const plan = plans.find((candidate) => candidate.trial_period_in_days === null && (candidate.unit_amount ?? 0) > 0);
  check(plan !== undefined, 'a plan without a trial');
  const created = await step(
    'subscribe',
    () => api.post<SubscriptionView>('/subscriptions', { patient_id: patient.id, price_ids: [plan.id] }),
    (view) => `${view.id} is ${view.status}, ${money(view.latest_invoice?.amount_due ?? 0, view.currency)} due`,
  );
  check(created.status === 'incomplete', 'the subscription to be incomplete until paid');
  await step(
    'pay',
    () => pay(target, created),
    (status) => `as Stripe.js would: ${status}`,
  );
  await step(
    'wait for active',
    () => waitUntilActive(api, created.id),
    (view) => `until ${view.current_period_end}`,
  );
  const slots = await step(
    'availability',
    () => listSlots(api),
    (views) => `${views.length} free times`,
  );
  const [first] = slots;
  check(first !== undefined, 'a free time');
  const booked = await step(
    'book',
    () =>
      api.post<AppointmentView>('/appointments', {
        patient_id: patient.id,
        appointment_type_id: first.appointment_type_id,
        calendar_id: first.calendar_id,
        from_date: first.from_date,
      }),
    (view) => `${view.appointment_type} with ${view.calendar}, ${view.from_date} (${view.time_zone})`,
  );
  check(Date.parse(booked.from_date) === Date.parse(first.from_date), 'the time that was asked for');
  const otherSlots = slots.filter(
    (slot) => slot.calendar_id === first.calendar_id && slot.from_date !== first.from_date,
  );
  const laterSlot = otherSlots.at(-1);
  check(laterSlot !== undefined, 'a second free time of the same calendar');
  const rescheduled = await step(
    'reschedule',
    () => api.post<AppointmentView>(`/appointments/${booked.id}/reschedule`, { from_date: laterSlot.from_date }),
    (view) => `to ${view.from_date}, same link`,
  );
  check(
    rescheduled.id === booked.id &&
      rescheduled.video_call_url === booked.video_call_url &&
      Date.parse(rescheduled.from_date) === Date.parse(laterSlot.from_date),
    'the same appointment and link at the new time',
  );
  const canceled = await step(
    'cancel appointment',
    () => api.post<AppointmentView>(`/appointments/${booked.id}/cancel`, {}),
    (view) => view.status,
  );
  check(canceled.status === 'canceled', 'the appointment to be canceled');
  const ended = await step(
    'cancel subscription',
    () => api.post<SubscriptionView>(`/subscriptions/${created.id}/cancel`, {}),
    (view) => view.status,
  );
  check(ended.status === 'canceled', 'the subscription to be canceled');
  console.log(`\nAll 11 steps as they should be, in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
}
