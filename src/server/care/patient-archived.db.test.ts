import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CareBench, withCare } from '#dev/testing/care.ts';
import { SANDBOX, withClinic } from '#dev/testing/clinic.ts';
import type { RestClient } from '#dev/testing/rest-client.ts';
import { signInPatient } from '#dev/testing/signed-in.ts';

let care: CareBench;
/** Neither is in care any more; the first has an appointment and a subscription from before. */
let ending: { id: string; appointment: string; subscription: string; link: string };
let archived: string;
beforeAll(async () => {
  care = await withCare(await withClinic(SANDBOX));
  archived = await care.patient();
  await care.archive(archived);
  const id = await care.patient();
  const [appointment, subscription] = [await care.book(id), await care.subscribe(id)];
  const { url } = await care.caller(care.staff()).subscriptions.createCheckoutLink({ subscription_id: subscription });
  ending = { id, appointment, subscription, link: url.split('#')[1]! };
  expect((await care.endCare(id)).status).toBe(202);
});
afterAll(() => care?.stop());

const codeOf = ({ status, body }: { status: number; body: { errors?: { code: string }[] } }) => [
  status,
  body.errors?.[0]?.code,
];
const PATIENT_ARCHIVED = [422, 'patient_archived'];
const subscribing = (patient_id: string) => ({ patient_id, price_ids: [care.offer.priceId] });

describe('from the start of the end of care, before any provider is called', () => {
  test('no caller can book, reschedule or subscribe', async () => {
    const patientToken = (await signInPatient(care.clinic.ctx, ending.id)).access_token;
    const impersonated = await care.clinic.impersonate(care.credentials, ending.id);
    for (const token of [care.token, patientToken, impersonated]) {
      expect(codeOf(await care.send('POST', '/appointments', care.wish(ending.id), token))).toEqual(PATIENT_ARCHIVED);
      expect(codeOf(await care.send('POST', '/subscriptions', subscribing(ending.id), token))).toEqual(
        PATIENT_ARCHIVED,
      );
      const { from_date } = care.wish(ending.id);
      const move = await care.send('POST', `/appointments/${ending.appointment}/reschedule`, { from_date }, token);
      expect(codeOf(move)).toEqual(PATIENT_ARCHIVED);
    }
    for (const path of ['/appointments', '/subscriptions']) {
      const body = path === '/appointments' ? care.wish(archived) : subscribing(archived);
      expect(codeOf(await care.send('POST', path, body))).toEqual(PATIENT_ARCHIVED);
    }
  });

  test('no payment link is created, and an existing one opens nothing', async () => {
    const making = care.caller(care.staff()).subscriptions.createCheckoutLink({
      subscription_id: ending.subscription,
    });
    await expect(making).rejects.toMatchObject({ cause: { code: 'patient_archived' } });
    const visitor = care.as({ kind: 'visitor', tenantId: care.tenantId });
    const opening = care.caller(visitor).checkout.open({ token: ending.link });
    await expect(opening).rejects.toMatchObject({ cause: { code: 'not_found' } });
  });

  test('the record can still be changed, and live items ended manually', async () => {
    expect((await care.send('PATCH', `/patients/${ending.id}`, { middle_name: 'Q' })).status).toBe(200);
    expect((await care.send('POST', `/appointments/${ending.appointment}/cancel`, {})).status).toBe(200);
    expect((await care.send('POST', `/subscriptions/${ending.subscription}/cancel`, {})).status).toBe(200);
    expect((await care.archive(ending.id)).status).toBe(200);
  });
});

test('a failed create is not completed by a retry with its key', async () => {
  const id = await care.patient();
  const headers = { 'idempotency-key': 'before-the-end' };
  const retry = ({ rest }: { rest: RestClient } = care.clinic) =>
    rest.call({
      method: 'POST',
      path: '/subscriptions',
      token: care.token,
      body: subscribing(id),
      headers,
    });
  care.stripeFault('timeout_before', { method: 'POST', path: '/v1/subscriptions' }, 3);
  expect((await retry(care.impatient)).status).toBe(504);
  care.heal();
  await care.endCare(id);
  expect(codeOf(await retry())).toEqual(PATIENT_ARCHIVED);
  await care.settle(id);
  expect((await care.read(id)).status).toBe('archived');
  expect(await care.liveThere(id)).toEqual([]);
});

describe('unarchiving a patient', () => {
  test('makes them active and bookable again, with their reserved email address', async () => {
    const id = await care.patient();
    const { email } = await care.read(id);
    await care.archive(id);
    const duplicate = await care.send('POST', '/patients', { email });
    expect(codeOf(duplicate)).toEqual([409, 'email_taken']);
    const back = await care.send('POST', `/patients/${id}/unarchive`, {});
    expect(back).toMatchObject({
      status: 200,
      body: { id, email, status: 'active', archived_at: null, care_ending_at: null, can_sign_in: false },
    });
    expect((await care.send('POST', `/patients/${id}/unarchive`, {})).body).toEqual(back.body);
    const events = await care.db.event.findMany({ where: { objectId: id }, orderBy: { position: 'asc' } });
    expect(events.map(({ eventTopic }) => eventTopic)).toEqual(['created', 'archived', 'unarchived']);
    const entries = await care.db.auditEntry.findMany({ where: { objectId: id, action: 'patients.unarchive' } });
    // A repeated request changes nothing, and is audited as well.
    expect(entries).toHaveLength(2);
    await care.book(id);
    expect((await care.archive(id)).status).toBe(409);
  });

  test('is rejected while care is ending, and returns a patient in care unchanged', async () => {
    const id = await care.patient();
    await care.book(id);
    const before = await care.read(id);
    expect((await care.send('POST', `/patients/${id}/unarchive`, {})).body).toEqual(before);
    await care.endCare(id);
    expect(codeOf(await care.send('POST', `/patients/${id}/unarchive`, {}))).toEqual([409, 'conflict']);
    await care.settle(id);
    expect((await care.send('POST', `/patients/${id}/unarchive`, {})).status).toBe(200);
  });
});
