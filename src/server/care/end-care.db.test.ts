import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { applyPendingEvents } from '#dev/testing/apply-pending-events.ts';
import { CANCEL_VISIT, type CareBench, END_SUBSCRIPTION, withCare } from '#dev/testing/care.ts';
import { SANDBOX, withClinic } from '#dev/testing/clinic.ts';
import { ACCOUNT } from '#dev/testing/scheduling.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { processAcuityEvent } from '#server/scheduling/sync/acuity-webhook.ts';
import { endCare } from './end-care.ts';

/** `PROVE=1` stops at each statement; each write after a provider's effect takes more than three statements. */
const STEP = process.env.PROVE === '1' ? 1 : 9;
/** In the fast run some responses are lost by a reset connection, which takes no waiting. */
const LOST = process.env.PROVE === '1' ? { by: 'timeout', status: 504 } : { by: 'reset', status: 503 };

let care: CareBench;
beforeAll(async () => {
  care = await withCare(await withClinic(SANDBOX));
});
afterAll(() => care?.stop());
afterEach(() => care.heal());

/** A patient whose care is ending, with an appointment and a subscription. */
async function ending(): Promise<{ id: string; appointment: string; subscription: string }> {
  const id = await care.patient();
  const [appointment, subscription] = [await care.book(id), await care.subscribe(id)];
  expect((await care.endCare(id)).status).toBe(202);
  return { id, appointment, subscription };
}
const stateOf = async (id: string) => (await care.archive(id)).body.care_ending;
const statusOf = async (id: string) => (await care.db.patient.findFirstOrThrow({ where: { id } })).status;
/** The pause between a run and the next one, on the clock of the run. */
const pauseAfter = async (run: () => Promise<void>, id: string) => {
  const dueAt = Math.max(Date.now(), (await care.waiting(id))!.runAt.getTime());
  await run();
  return Math.round(((await care.waiting(id))!.runAt.getTime() - dueAt) / SECOND) * SECOND;
};
async function expectArchived(id: string): Promise<void> {
  expect(await care.liveThere(id)).toEqual([]);
  expect(await statusOf(id)).toBe('archived');
  expect(await care.waiting(id)).toBeNull();
  expect(await care.db.event.count({ where: { objectId: id, eventTopic: 'archived' } })).toBe(1);
}

/** The short form loses a response of each provider: the failure that leaves an effect behind. */
const PROVIDER_FAILURES = (
  [
    ['acuity', 'a lost response', 'timeout_after'],
    ['stripe', 'a lost response', 'reset_after'],
    ['acuity', 'a failure', '503'],
    ['acuity', 'silence', 'timeout_before'],
    ['acuity', 'nonsense', 'wrong_schema'],
    ['stripe', 'a failure', '500'],
    ['stripe', 'silence', 'timeout_before'],
  ] as const
).slice(0, process.env.PROVE === '1' ? undefined : 2);

describe('a provider that cannot be reached', () => {
  test.each(PROVIDER_FAILURES)(
    '%s with %s delays the archiving until it recovers, and the other provider ends its part',
    async (provider, _, kind) => {
      const { id, appointment, subscription } = await ending();
      if (provider === 'acuity') {
        care.acuityFault(kind, CANCEL_VISIT, 9);
        care.acuityFault('503', { method: 'GET', path: '/api/v1/appointments/:id' }, 9);
      } else {
        care.stripeFault(kind, END_SUBSCRIPTION, 9);
        care.stripeFault('503', { method: 'GET', path: '/v1/subscriptions/:id' }, 9);
      }
      await (/^timeout/.test(kind) ? care.impatient : care).run(id);
      expect(await statusOf(id)).toBe('active');
      const rows = await care.db.appointment.findMany({ where: { id: appointment } });
      const subscriptions = await care.db.subscription.findMany({ where: { id: subscription } });
      const left = [...rows, ...subscriptions].filter(({ status }) => !/canceled|expired/.test(status));
      expect(left).toHaveLength(1);
      expect(await care.staffSees(id)).toMatchObject({
        state: 'in_progress',
        problems: [{ provider, code: expect.stringMatching(/^provider_/), detail: expect.any(String) }],
      });
      care.heal();
      await care.settle(id);
      await expectArchived(id);
    },
  );

  test('is retried after pauses that grow to six hours, and immediately on another request', async () => {
    const { id } = await ending();
    care.acuityFault('503', CANCEL_VISIT, 99);
    for (const seconds of [5, 10, 20, 40]) expect(await pauseAfter(() => care.run(id), id)).toBe(seconds * SECOND);
    const clock = { now: () => new Date(Date.now() + DAY) };
    const late = { tenantId: care.tenantId, patientId: id, tries: 40 };
    await endCare({ ...care.clinic.services, clock }, late);
    expect((await care.waiting(id))!.runAt.getTime() - clock.now().getTime()).toBeGreaterThan(5.9 * HOUR);
    expect((await care.waiting(id))!.payload.tries).toBe(41);
    expect((await care.archive(id)).body.care_ending).toMatchObject({ state: 'in_progress', problems: [] });
    expect((await care.waiting(id))!.runAt.getTime()).toBeLessThanOrEqual(Date.now());
    care.heal();
    await care.settle(id);
    await expectArchived(id);
  });
});

describe('a provider that rejects', () => {
  test('Acuity with other credentials: is reported in readable words, and continues once they are right', async () => {
    const { id, appointment } = await ending();
    const account = care.clinic.acuity.emulator.world.state.accounts[ACCOUNT.user_id]!;
    account.apiKey = 'another';
    await care.run(id);
    expect(await care.staffSees(id)).toMatchObject({
      state: 'needs_attention',
      problems: [
        { provider: 'acuity', code: 'integration_misconfigured', detail: expect.stringContaining('administrator') },
      ],
    });
    expect(await care.db.appointment.findFirst({ where: { id: appointment } })).toMatchObject({ status: 'scheduled' });
    account.apiKey = ACCOUNT.api_key;
    expect((await care.endCare(id)).status).toBe(202);
    await care.settle(id);
    await expectArchived(id);
  });

  test('Stripe without access: the appointment is canceled anyway', async () => {
    const { id, appointment, subscription } = await ending();
    const where = { tenantId_id: { tenantId: care.tenantId, id: subscription } };
    const { accountId } = await care.db.subscription.findUniqueOrThrow({ where });
    const isAt = async (account: string) => {
      await care.db.subscription.update({ where, data: { accountId: account } });
      await care.db.integration.updateMany({ where: { provider: 'stripe' }, data: { accountId: account } });
    };
    await isAt('acct_lost');
    await care.run(id);
    expect(await care.staffSees(id)).toMatchObject({
      state: 'needs_attention',
      problems: [{ provider: 'stripe', code: 'integration_not_connected', detail: expect.stringContaining('Stripe') }],
    });
    expect(await care.db.appointment.findFirst({ where: { id: appointment } })).toMatchObject({ status: 'canceled' });
    expect(await stateOf(id)).toMatchObject({ live: { visits: { count: 0 }, subscriptions: { count: 1 } } });
    await isAt(accountId);
    await care.settle(id);
    await expectArchived(id);
  });

  test('a former Stripe account without access: the subscription ends here alone', async () => {
    const { id, subscription } = await ending();
    const where = { tenantId_id: { tenantId: care.tenantId, id: subscription } };
    await care.db.subscription.update({ where, data: { accountId: 'acct_lost' } });
    await care.settle(id);
    expect(await statusOf(id)).toBe('archived');
    expect(await care.db.subscription.findUniqueOrThrow({ where })).toMatchObject({ status: 'canceled' });
  });

  test('an appointment that Acuity has no record of is canceled', async () => {
    const { id, appointment } = await ending();
    const account = care.clinic.acuity.emulator.world.state.accounts[ACCOUNT.user_id]!;
    const { providerAppointmentId } = await care.db.appointment.findFirstOrThrow({ where: { id: appointment } });
    account.appointments = account.appointments.filter((one) => one.id !== providerAppointmentId);
    await care.settle(id);
    await expectArchived(id);
    const { body } = await care.send('GET', `/appointments/${appointment}`);
    expect(body).toMatchObject({ status: 'canceled', canceled_at: expect.any(String) });
  });
});

/** A process that crashes at its nth statement: nothing later reaches the database. */
function dyingAfter(statements: number): { services: Services; isDead(): boolean } {
  let left = statements;
  const { services } = care.clinic;
  const spend = () => {
    left -= 1;
    if (left < 0) throw new Error('killed');
  };
  type Called = (...args: unknown[]) => Promise<unknown>;
  const counted =
    (of: Record<string, unknown>, name: string) =>
    async (...args: unknown[]) => {
      spend();
      return (of[name] as Called)(...args);
    };
  const mortal = <Client extends object>(client: Client): Client =>
    new Proxy(client as Record<string, unknown>, {
      get(of, name: string) {
        const value = of[name];
        if (name === '$transaction')
          return (work: (tx: object) => unknown, options: unknown) =>
            (value as Called)((tx: object) => work(mortal(tx)), options);
        if (typeof value === 'function') return counted(of, name);
        if (typeof value !== 'object' || value === null) return value;
        return new Proxy(value as Record<string, unknown>, { get: (model, verb: string) => counted(model, verb) });
      },
    }) as Client;
  const database = { ...services.database, forTenant: (id: string) => mortal(services.database.forTenant(id)) };
  return { services: { ...services, database }, isDead: () => left < 0 };
}

test('a process killed at any statement between a provider’s effect and our own loses nothing', async () => {
  const account = care.clinic.acuity.emulator.world.state.accounts[ACCOUNT.user_id]!;
  let deaths = 0;
  for (let statements = 0; ; statements += STEP) {
    const { id, appointment } = await ending();
    const { services, isDead } = dyingAfter(statements);
    await care.run(id, services).catch(() => undefined);
    if (!isDead()) break;
    deaths += 1;
    // When it had not queued its successor yet, the queue itself would run the job again.
    if (!(await care.waiting(id))) await care.archive(id);
    await care.settle(id);
    await expectArchived(id);
    const { providerAppointmentId } = await care.db.appointment.findFirstOrThrow({ where: { id: appointment } });
    const sentEmails = account.emails.filter((mail) => mail.appointmentID === providerAppointmentId);
    expect(sentEmails.map(({ kind }) => kind)).toEqual(['scheduled', 'canceled']);
  }
  expect(deaths * STEP).toBeGreaterThan(20);
}, 240_000);

describe('a request without an outcome', () => {
  const BOOK = { method: 'POST', path: '/api/v1/appointments' };
  const LOOK_UP = { method: 'GET', path: '/api/v1/appointments' };
  const CREATE = { method: 'POST', path: '/v1/subscriptions' };

  test.each(['before', 'after'] as const)(
    'to book (lost %s) is looked up, and the appointment canceled if it was booked',
    async (effect) => {
      const id = await care.patient();
      care.acuityFault(`${LOST.by}_${effect}`, BOOK);
      care.acuityFault('503', LOOK_UP);
      expect((await care.impatient.post('/appointments', care.wish(id))).status).toBe(LOST.status);
      care.heal();
      expect((await care.archive(id)).body.errors[0].meta.live.visits).toEqual({ count: 1, ids: [] });
      expect((await care.endCare(id)).status).toBe(202);
      await care.run(id);
      expect(await statusOf(id)).toBe('active');
      await care.settle(id);
      await expectArchived(id);
      const [row] = await care.db.appointment.findMany({ where: { patientId: id } });
      expect(row!.status).toBe(effect === 'before' ? 'failed' : 'canceled');
    },
  );

  test.each(['before', 'after'] as const)(
    'to subscribe (lost %s) is looked up, and the subscription ended if it was created',
    async (effect) => {
      const id = await care.patient();
      const body = { patient_id: id, price_ids: [care.offer.priceId] };
      care.stripeFault(`${LOST.by}_${effect}`, CREATE, 3);
      expect((await care.impatient.post('/subscriptions', body)).status).toBe(LOST.status);
      care.heal();
      expect((await care.endCare(id)).body.care_ending.live.subscriptions).toEqual({ count: 1, ids: [] });
      await care.run(id);
      expect(await statusOf(id)).toBe('active');
      await care.settle(id);
      await expectArchived(id);
      expect(await care.db.subscription.count({ where: { patientId: id } })).toBe(effect === 'before' ? 0 : 1);
    },
  );

  test('to reschedule an appointment whose old time has passed is resolved, and the appointment canceled', async () => {
    const id = await care.patient();
    const appointment = await care.book(id);
    const { startAt, endAt } = await care.db.appointment.findFirstOrThrow({ where: { id: appointment } });
    const pendingChange = { kind: 'move', to: startAt.toISOString(), unknown: true };
    const ago = (at: Date) => new Date(at.getTime() - 60 * DAY);
    const where = { tenantId_id: { tenantId: care.tenantId, id: appointment } };
    const data = { startAt: ago(startAt), endAt: ago(endAt), pendingChange };
    await care.db.appointment.update({ where, data });
    expect((await care.endCare(id)).body.care_ending.live.visits).toEqual({ count: 1, ids: [appointment] });
    await care.settle(id);
    await expectArchived(id);
    expect((await care.send('GET', `/appointments/${appointment}`)).body).toMatchObject({ status: 'canceled' });
  });

  test('to cancel before care ended is resolved', async () => {
    const id = await care.patient();
    const appointment = await care.book(id);
    care.acuityFault('timeout_after', CANCEL_VISIT);
    care.acuityFault('503', { method: 'GET', path: '/api/v1/appointments/:id' });
    expect((await care.impatient.post(`/appointments/${appointment}/cancel`, {})).status).toBe(504);
    expect((await care.endCare(id)).status).toBe(202);
    await care.settle(id);
    await expectArchived(id);
  });

  test('a canceled appointment has the end of care as its reason, unless a request gave one before', async () => {
    const id = await care.patient();
    const appointmentIds = [await care.book(id), await care.book(id)];
    care.acuityFault(`${LOST.by}_before`, CANCEL_VISIT);
    const response = await care.impatient.post(`/appointments/${appointmentIds[0]}/cancel`, {
      reason: 'A sprained ankle',
    });
    expect(response.status).toBe(LOST.status);
    expect((await care.endCare(id)).status).toBe(202);
    await care.settle(id);
    await expectArchived(id);
    const read = async (appointment: string) => (await care.send('GET', `/appointments/${appointment}`)).body;
    const ended = await Promise.all(appointmentIds.map(read));
    const reasons = ['A sprained ankle', 'Care at the clinic has ended.'];
    expect(ended.map((one) => one.cancel_reason)).toEqual(reasons);
    const { appointments } = care.clinic.acuity.emulator.world.state.accounts[ACCOUNT.user_id]!;
    const cancelNoteOf = (id: number) => appointments.find((one) => one.id === id)?.cancelNote;
    expect(ended.map((one) => cancelNoteOf(one.provider_appointment_id))).toEqual(reasons);
  });
});

describe('a late change', () => {
  /** Processes the webhooks of Acuity's console as the worker does. */
  async function hearOf(objectId: string): Promise<void> {
    const inboundEvents = () => care.db.inboundEvent.findMany({ where: { provider: 'acuity', objectId } });
    await expect.poll(async () => (await inboundEvents()).length, { timeout: 5000 }).toBeGreaterThan(0);
    for (const { id } of await inboundEvents())
      await processAcuityEvent(care.clinic.services, { tenantId: care.tenantId, provider: 'acuity', id });
  }
  async function bookInConsole(id: string): Promise<string> {
    const { email } = await care.db.patient.findFirstOrThrow({ where: { id } });
    const { appointment_type_id, calendar_id, from_date } = care.wish(id);
    const response = await fetch(`${care.clinic.acuity.url}/appointments?admin=true`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${ACCOUNT.user_id}:${ACCOUNT.api_key}`)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        datetime: from_date,
        appointmentTypeID: appointment_type_id,
        calendarID: calendar_id,
        firstName: 'Ada',
        lastName: 'Example',
        email,
      }),
    });
    expect(response.status).toBe(200);
    return String(((await response.json()) as { id: number }).id);
  }

  test('at Acuity’s console: an appointment booked while care is ending is canceled too', async () => {
    const { id } = await ending();
    await hearOf(await bookInConsole(id));
    await care.settle(id);
    await expectArchived(id);
  });

  test('at Acuity’s console: an appointment booked for an archived patient is canceled', async () => {
    const id = await care.patient();
    expect((await care.archive(id)).status).toBe(200);
    await hearOf(await bookInConsole(id));
    expect(await care.liveThere(id)).toHaveLength(1);
    expect(await care.waiting(id)).not.toBeNull();
    await care.run(id, { ...care.clinic.services, clock: { now: () => new Date(Date.now() + MINUTE) } });
    await expectArchived(id);
    expect(await care.read(id)).toMatchObject({ status: 'archived', care_ending_at: null });
  });

  test('at Stripe: a subscription that appears after its create was given up is ended', async () => {
    const id = await care.patient();
    const subscription = await care.subscribe(id);
    // As if its create had never returned and been given up, and its events arrive only now. Pending events of its
    // creation would bring it back.
    const stripe = `${care.clinic.stripe.emulator.url}/_emulator`;
    const deliveries = async () => {
      const all = (await (await fetch(`${stripe}/deliveries`)).json()) as { status: string; body: string }[];
      return all.filter(({ body }) => body.includes(subscription));
    };
    const onTheirWay = async () => (await deliveries()).filter(({ status }) => status === 'pending').length;
    await expect.poll(onTheirWay, { timeout: 10_000 }).toBe(0);
    await care.db.inboundEvent.deleteMany();
    await care.db.subscription.deleteMany({ where: { id: subscription } });
    await care.db.subscriptionIntent.updateMany({ where: { patientId: id }, data: { status: 'failed' } });
    expect((await care.archive(id)).status).toBe(200);
    const { accountId } = await care.db.integration.findFirstOrThrow({ where: { provider: 'stripe' } });
    const events = (await deliveries()).map(({ body }) => JSON.parse(body).id as string);
    const resend = await fetch(`${stripe}/trigger`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'resend_events', account: accountId, events }),
    });
    expect(resend.status).toBe(200);
    const countStored = async () => {
      await applyPendingEvents(care.clinic.services, care.clinic.ctx.tenantId);
      return care.db.subscription.count({ where: { id: subscription } });
    };
    await expect.poll(countStored, { timeout: 10_000 }).toBe(1);
    await expect.poll(() => care.waiting(id), { timeout: 5000 }).not.toBeNull();
    await care.settle(id);
    await expectArchived(id);
  });

  test('leaves alone a patient who was unarchived in between', async () => {
    const id = await care.patient();
    await care.archive(id);
    await hearOf(await bookInConsole(id));
    expect((await care.send('POST', `/patients/${id}/unarchive`, {})).status).toBe(200);
    await care.settle(id);
    expect(await care.liveThere(id)).toHaveLength(1);
    expect(await care.read(id)).toMatchObject({ status: 'active', care_ending_at: null });
  });
});
