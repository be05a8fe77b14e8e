import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ROUTES, type Route } from '#contract/routes.ts';
import { SCOPES } from '#contract/scopes.ts';
import * as actor from '#server/core/actor.ts';
import { newId } from '#server/core/ids.ts';
import { SANDBOX, type Sandbox, withClinic } from '../clinic.ts';
import { expected, seen } from '../invariants/route-access.ts';
import { sampleRequests } from '../sample-requests.ts';
import { nameOf, type Sample } from '../samples/sample.ts';

let clinic: Sandbox;
let samples: Record<string, Sample>;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  const page = 'https://app.example.test';
  samples = sampleRequests({ priceId: 'price_1', trialPriceId: 'price_2', typeId: 1, times: [], page });
});
afterAll(() => clinic?.stop());

/** Returns the expected and the actual outcome of a request from an application without the route's scope. */
async function sendRequest(route: Route): Promise<{ wanted: string; got: string }> {
  const scopes = SCOPES.filter((scope) => scope !== route.scope && scope !== 'admin');
  const token = await clinic.token(await clinic.application(clinic.ctx, scopes));
  const sample = samples[nameOf(route)]!;
  const wanted = expected(route, sample, 'application without the scope', 'own');
  const ids = {
    patientId: newId(),
    subscriptionId: 'sub_absent',
    appointmentId: newId(),
    eventId: newId(),
    unmatchedId: newId(),
    messageId: newId(),
  };
  const target = {
    ...ids,
    paymentId: 'in_absent',
    cardId: 'pm_absent',
    practitionerId: newId(),
    taskId: newId(),
    webhookId: newId(),
    deliveryId: newId(),
  };
  const time = { from_date: new Date().toISOString(), calendar_id: 1 };
  const response = await clinic.rest.call({ method: route.method, token, ...sample.request(target, time) });
  return { wanted, got: seen(response, wanted as 'forbidden') };
}
const GUARDED = ROUTES.filter(({ method, path }) => method === 'GET' && path === '/patients');

test.each(GUARDED.map((route) => [nameOf(route), route] as const))(
  'intact: %s requires its scope',
  async (_, route) => {
    expect(await sendRequest(route)).toEqual({ wanted: 'forbidden', got: 'forbidden' });
  },
);

test.each(GUARDED.map((route) => [nameOf(route), route] as const))(
  'detects that %s does not check the scope',
  async (_, route) => {
    const forgetful = vi.spyOn(actor, 'requireScope').mockImplementation(() => undefined);
    expect(await sendRequest(route)).toEqual({ wanted: 'forbidden', got: 'done' });
    expect(forgetful).toHaveBeenCalled();
    forgetful.mockRestore();
  },
);

test('detects a route without a sample', () => {
  const unlisted = { ...ROUTES[0]!, path: '/patients/{id}/diary' };
  expect([...ROUTES, unlisted].filter((route) => !samples[nameOf(route)]).map(nameOf)).toEqual([nameOf(unlisted)]);
});
