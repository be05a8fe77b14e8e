import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CareBench, withCare } from '#dev/testing/care.ts';
import { SANDBOX, withClinic } from '#dev/testing/clinic.ts';
import { signInPatient } from '#dev/testing/signed-in.ts';
import { actorOfStaff } from '#server/core/actor.ts';

let care: CareBench;
beforeAll(async () => {
  care = await withCare(await withClinic(SANDBOX));
});
afterAll(() => care?.stop());
afterEach(() => care.heal());

const codesOf = ({ body }: { body: { errors: { code: string }[] } }) => body.errors.map(({ code }) => code);
const topicsOf = async (patientId: string) =>
  (await care.db.event.findMany({ where: { objectId: patientId }, orderBy: { position: 'asc' } })).map(
    ({ eventTopic }) => eventTopic,
  );

describe('a patient with nothing live', () => {
  test('is archived immediately, with any value of end_care', async () => {
    for (const query of ['', '?end_care=true', '?end_care=false']) {
      const id = await care.patient();
      const response = await care.archive(id, query);
      expect(response).toMatchObject({ status: 200, body: { status: 'archived', care_ending: null } });
      expect(response.body).toMatchObject({
        care_ending_at: null,
        can_sign_in: false,
        archived_at: expect.any(String),
      });
      expect((await care.archive(id, query)).body).toEqual(response.body);
      expect(await topicsOf(id)).toEqual(['created', 'archived']);
    }
  });

  test('includes one whose appointments are over and whose subscriptions have ended', async () => {
    const id = await care.patient();
    const [over, running] = [await care.book(id), await care.book(id)];
    const subscription = await care.subscribe(id);
    await care.send('POST', `/subscriptions/${subscription}/cancel`, {});
    const hour = 3_600_000;
    const at = (offset: number) => new Date(Date.now() + offset);
    await care.db.appointment.update({ where: { id: over }, data: { startAt: at(-2 * hour), endAt: at(-hour) } });
    await care.db.appointment.update({ where: { id: running }, data: { startAt: at(-hour), endAt: at(hour) } });
    expect((await care.archive(id)).status).toBe(200);
    const appointments = await care.db.appointment.findMany({ where: { patientId: id } });
    expect(appointments.map(({ status }) => status)).toEqual(['scheduled', 'scheduled']);
  });
});

describe('a patient with future appointments and subscriptions', () => {
  test('is not archived without end_care: the conflict lists what is live, and nothing changes', async () => {
    const id = await care.patient();
    const [appointment, other, subscription] = [await care.book(id), await care.book(id), await care.subscribe(id)];
    for (const query of ['', '?end_care=false']) {
      const response = await care.archive(id, query);
      expect([response.status, codesOf(response)]).toEqual([409, ['conflict']]);
      const [{ detail, meta }] = response.body.errors;
      expect(detail).toBe(
        'This patient still has 2 appointments and 1 subscription. Set end_care=true in the query to end them and archive the patient.',
      );
      expect(meta.live).toEqual({
        visits: { count: 2, ids: expect.arrayContaining([appointment, other]) },
        subscriptions: { count: 1, ids: [subscription] },
      });
    }
    expect(await care.read(id)).toMatchObject({ status: 'active', care_ending_at: null });
    expect(await care.waiting(id)).toBeNull();
    expect(await topicsOf(id)).toEqual(['created']);
  });

  test('counts unpaid subscriptions, and pending ones without a readable id', async () => {
    const id = await care.patient();
    const { patientId: _, ...unknown } = await care.db.appointment.findFirstOrThrow({
      where: { id: await care.book(await care.patient()) },
    });
    await care.db.appointment.update({ where: { id: unknown.id }, data: { patientId: id, status: 'pending' } });
    await care.db.subscriptionIntent.create({
      data: {
        id: crypto.randomUUID(),
        tenantId: care.tenantId,
        patientId: id,
        accountId: 'acct_1',
        requestKey: id,
        params: {},
      },
    });
    const [{ meta, detail }] = (await care.archive(id)).body.errors;
    expect(meta.live).toEqual({ visits: { count: 1, ids: [] }, subscriptions: { count: 1, ids: [] } });
    expect(detail).toContain('1 appointment and 1 subscription');
    const unpaid = await care.patient();
    const subscription = await care.subscribe(unpaid);
    expect((await care.archive(unpaid)).body.errors[0].meta.live).toMatchObject({
      visits: { count: 0 },
      subscriptions: { count: 1, ids: [subscription] },
    });
  });

  test('lists at most twenty ids, and counts all', async () => {
    const id = await care.patient();
    const [model] = await care.db.subscription.findMany({ where: { id: await care.subscribe(id) } });
    const { items, discount, latestInvoice, pendingSetupIntent, asked, ...others } = model!;
    const { paymentMethod, pauseCollection, attentionFrom, ...columns } = others;
    await care.db.subscription.createMany({
      data: Array.from({ length: 24 }, (_, n) => ({ ...columns, id: `sub_many${n}` })),
    });
    const [{ meta }] = (await care.archive(id)).body.errors;
    expect(meta.live.subscriptions.count).toBe(25);
    expect(meta.live.subscriptions.ids).toHaveLength(20);
  });

  test('is archived by a job once the providers have confirmed; the response shows the progress', async () => {
    const id = await care.patient();
    const [appointment, subscription] = [await care.book(id), await care.subscribe(id)];
    const session = await signInPatient(care.clinic.ctx, id);
    const first = await care.endCare(id);
    expect(first).toMatchObject({
      status: 202,
      body: {
        id,
        status: 'active',
        archived_at: null,
        care_ending_at: expect.any(String),
        care_ending: {
          since: first.body.care_ending_at,
          state: 'in_progress',
          problems: [],
          live: { visits: { count: 1, ids: [appointment] }, subscriptions: { count: 1, ids: [subscription] } },
        },
      },
    });
    expect(await care.read(id)).toMatchObject({ status: 'active', care_ending_at: first.body.care_ending_at });
    expect((await care.send('GET', '/patients/me', undefined, session.access_token)).status).toBe(200);
    // A repeat, with or without end_care, continues and starts nothing twice.
    for (const query of ['?end_care=true', '']) {
      const repeated = await care.archive(id, query);
      expect([repeated.status, repeated.body]).toEqual([202, first.body]);
    }
    await care.run(id);
    expect(await care.liveThere(id)).toEqual([]);
    expect(await care.waiting(id)).toBeNull();
    const done = await care.archive(id);
    expect(done).toMatchObject({ status: 200, body: { status: 'archived', care_ending: null, care_ending_at: null } });
    expect(await topicsOf(id)).toEqual(['created', 'updated', 'archived']);
    const me = async () => (await care.send('GET', '/patients/me', undefined, session.access_token)).status;
    await expect.poll(me, { timeout: 3000 }).toBe(401);
    const { body: ended } = await care.send('GET', `/subscriptions/${subscription}`);
    const { body: canceled } = await care.send('GET', `/appointments/${appointment}`);
    // It was never paid, so Stripe expires it.
    expect([ended.status, canceled.status]).toEqual(['incomplete_expired', 'canceled']);
    expect([ended.patient_id, canceled.patient_id]).toEqual([id, id]);
  });

  test('attributes the request to its caller, and the job’s changes to the service', async () => {
    const id = await care.patient();
    await care.book(id);
    await care.subscribe(id);
    const staff = care.staff();
    await care.caller(staff).patients.archive({ id, end_care: true });
    await care.settle(id);
    const entries = await care.db.auditEntry.findMany({ where: { patientId: id }, orderBy: { position: 'asc' } });
    const recorded = entries.map(({ action, actorType, actorId }) => [action, actorType, actorId]);
    const { userId } = staff.actor as { userId: string };
    expect(recorded).toContainEqual(['patients.end_care', 'Practitioner', userId]);
    expect(recorded).toContainEqual(['appointments.cancel', 'System', 'end_care']);
    expect(recorded).toContainEqual(['subscriptions.cancel', 'System', 'end_care']);
    expect(recorded.at(-1)).toEqual(['patients.archive', 'System', 'end_care']);
    expect(entries.find(({ action }) => action === 'patients.end_care')?.details).toEqual({
      visits: 1,
      subscriptions: 1,
    });
  });
});

describe('access to archiving', () => {
  test('requires an application to have the scopes of what it ends', async () => {
    const id = await care.patient();
    await care.book(id);
    const token = async (...scopes: string[]) =>
      care.clinic.token(await care.clinic.application(care.clinic.ctx, scopes as never));
    const writer = await token('patients:write');
    expect((await care.archive(id, '', writer)).status).toBe(409);
    for (const lacking of [writer, await token('patients:write', 'appointments:write')])
      expect(codesOf(await care.endCare(id, lacking))).toEqual(['forbidden']);
    expect(await care.read(id)).toMatchObject({ care_ending_at: null });
    const all = await token('patients:write', 'appointments:write', 'subscriptions:write');
    expect((await care.endCare(id, all)).status).toBe(202);
    // Any caller who may archive may speed up an end of care in progress.
    expect((await care.archive(id, '', writer)).status).toBe(202);
    expect((await care.archive(await care.patient(), '', writer)).status).toBe(200);
  });

  test('requires staff who end subscriptions to hold that permission', async () => {
    const { tenantId } = care;
    const deskOf = () =>
      care.caller(care.as(actorOfStaff({ role: 'front_desk', tenantId, userId: care.clinic.ctx.tenantId })));
    const codeOf = (call: Promise<unknown>) =>
      call.then(
        () => 'done',
        (error) => error.cause?.code,
      );
    const [booked, subscribed] = [await care.patient(), await care.patient()];
    await care.book(booked);
    await care.subscribe(subscribed);
    expect(await codeOf(deskOf().patients.archive({ id: subscribed, end_care: true }))).toBe('forbidden');
    expect(await care.read(subscribed)).toMatchObject({ care_ending_at: null, status: 'active' });
    expect(await codeOf(deskOf().patients.archive({ id: booked, end_care: true }))).toBe('done');
    // Anyone who may archive may look after an end of care in progress.
    await care.caller(care.staff()).patients.archive({ id: subscribed, end_care: true });
    expect(await codeOf(deskOf().patients.archive({ id: subscribed }))).toBe('done');
  });

  test('is rejected for patients, impersonated or signed in, and for applications of other tenants', async () => {
    const id = await care.patient();
    const otherTenantToken = await care.clinic.token(await care.clinic.application(care.clinic.otherCtx));
    const own = [
      await care.clinic.impersonate(care.credentials, id),
      (await signInPatient(care.clinic.ctx, id)).access_token,
    ];
    for (const [method, path] of [
      ['DELETE', 'archive?end_care=true'],
      ['POST', 'unarchive'],
    ] as const) {
      for (const token of own)
        expect(codesOf(await care.send(method, `/patients/${id}/${path}`, undefined, token))).toEqual(['forbidden']);
      expect(codesOf(await care.send(method, `/patients/${id}/${path}`, undefined, otherTenantToken))).toEqual([
        'not_found',
      ]);
    }
  });

  test('shows staff what would end, with names; rejects all other callers', async () => {
    const id = await care.patient();
    const [appointment, subscription] = [await care.book(id), await care.subscribe(id)];
    const shown = await care.caller(care.staff()).patients.care({ id });
    expect(shown).toMatchObject({
      ending: null,
      visits: { count: 1, items: [{ id: appointment, status: 'scheduled', practitioner_name: expect.any(String) }] },
      subscriptions: { count: 1, items: [{ id: subscription, status: 'incomplete', name: expect.any(String) }] },
    });
    await care.caller(care.staff()).patients.archive({ id, end_care: true });
    expect((await care.caller(care.staff()).patients.care({ id })).ending).toMatchObject({ state: 'in_progress' });
    const { tenantId } = care;
    const others = [
      care.as({ kind: 'patient', tenantId, patientId: id, clientId: id, impersonatedBy: null }),
      care.as({ kind: 'application', tenantId, clientId: id, scopes: new Set(['admin']) }),
      care.as({ kind: 'visitor', tenantId }),
    ];
    for (const ctx of others)
      await expect(care.caller(ctx).patients.care({ id })).rejects.toMatchObject({ cause: { code: 'forbidden' } });
    const elsewhere = care.as(actorOfStaff({ role: 'admin', tenantId: care.clinic.otherCtx.tenantId, userId: id }));
    await expect(care.caller(elsewhere).patients.care({ id })).rejects.toMatchObject({ cause: { code: 'not_found' } });
  });
});
