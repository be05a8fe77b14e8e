import { notifyManager, QueryObserver } from '@tanstack/react-query';
import { createTRPCClient, TRPCClientError } from '@trpc/client';
import { afterEach, expect, test, vi } from 'vitest';
import { MAX_BATCHED_CALLS } from '#contract/limits.ts';
import type { AppRouter } from '#server/router.ts';
import { NO_RESPONSE } from '#web/ui/reach-server.ts';
import { createLink, createQueryClient, createRefetchTracker, FROM_PROVIDER, SIGNED_OUT } from './trpc-client.tsx';

afterEach(() => vi.unstubAllGlobals());

test('never batches a repeated query with a user’s first query', async () => {
  const requests: [calls: string, refetch: string | null][] = [];
  vi.stubGlobal('window', { location: { pathname: '/patients/1' } });
  vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
    const calls = new URL(url, 'http://localhost').pathname.replace('/api/trpc/', '');
    requests.push([calls, new Headers(headers).get('x-carelane-refetch')]);
    return Response.json(calls.split(',').map(() => ({ result: { data: null } })));
  });
  const client = createTRPCClient<AppRouter>({ links: [createLink(createRefetchTracker(), 'tenant/user')] });
  const openChart = () => client.patients.get.query({ id: '1' });
  await openChart();
  await Promise.all([
    client.cards.list.query({ patient_id: '1' }),
    openChart(),
    client.timeline.list.query({ patient_id: '1' }),
  ]);
  expect(requests).toHaveLength(3);
  expect(requests).toContainEqual(['patients.get', null]);
  expect(requests).toContainEqual(['cards.list,timeline.list', null]);
  expect(requests).toContainEqual(['patients.get', '1']);
});

test('answers of the service do not wait for those of a provider', async () => {
  const requests: string[] = [];
  vi.stubGlobal('window', { location: { pathname: '/calendar' } });
  vi.stubGlobal('fetch', async (url: string) => {
    const calls = new URL(url, 'http://localhost').pathname.replace('/api/trpc/', '');
    requests.push(calls);
    return Response.json(calls.split(',').map(() => ({ result: { data: null } })));
  });
  const client = createTRPCClient<AppRouter>({ links: [createLink(createRefetchTracker(), 'tenant/user')] });
  await Promise.all([
    client.scheduling.listCalendars.query({}),
    client.scheduling.showTimeOff.query({ from_date: '2026-11-23', to_date: '2026-11-29' }, FROM_PROVIDER.trpc),
    client.scheduling.listAppointmentTypes.query({}),
  ]);
  expect(requests.sort()).toEqual([
    'scheduling.listCalendars,scheduling.listAppointmentTypes',
    'scheduling.showTimeOff',
  ]);
});

test('sends no more calls in one request than the service takes', async () => {
  const sizes: number[] = [];
  vi.stubGlobal('window', { location: { pathname: '/' } });
  vi.stubGlobal('fetch', async (url: string) => {
    const calls = new URL(url, 'http://localhost').pathname.split(',');
    sizes.push(calls.length);
    return Response.json(calls.map(() => ({ result: { data: null } })));
  });
  const client = createTRPCClient<AppRouter>({ links: [createLink(createRefetchTracker(), 'tenant/user')] });
  const ids = Array.from({ length: MAX_BATCHED_CALLS + 1 }, (_, at) => String(at));
  await Promise.all(ids.map((id) => client.patients.get.query({ id })));
  expect(sizes.sort((a, b) => b - a)).toEqual([MAX_BATCHED_CALLS, 1]);
});

const chart = { type: 'query', path: 'patients.get', input: { id: '1' } };

test('distinguishes the first query of a page from a repetition', () => {
  const tracker = createRefetchTracker();
  expect(tracker.isRefetch('/patients/1', chart)).toBe(false);
  expect(tracker.isRefetch('/patients/1', chart)).toBe(true);
  expect(tracker.isRefetch('/patients/1', { ...chart, input: { id: '2' } })).toBe(false);
});

test('treats the queries of a page as first ones after a navigation', () => {
  const tracker = createRefetchTracker();
  tracker.isRefetch('/patients/1', chart);
  tracker.navigateTo('/settings/account');
  expect(tracker.isRefetch('/patients/1', chart)).toBe(false);
  tracker.navigateTo('/patients/1');
  expect(tracker.isRefetch('/patients/1', chart)).toBe(true);
});

test('never treats a mutation as a repetition', () => {
  const tracker = createRefetchTracker();
  const change = { ...chart, type: 'mutation' };
  tracker.isRefetch('/', change);
  expect(tracker.isRefetch('/', change)).toBe(false);
});

test('refetches what is invalidated while its first response is pending', async () => {
  const client = createQueryClient();
  const queryKey = ['plans', 'list'];
  let plans = ['Essential care'];
  let respond = () => {};
  const queryFn = vi.fn(async () => {
    const read = plans;
    await new Promise<void>((resolve) => {
      respond = resolve;
    });
    return read;
  });
  const unsubscribe = new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {});
  await vi.waitFor(() => expect(queryFn).toHaveBeenCalledOnce());
  plans = ['Essential care', 'Complete care'];
  void client.invalidateQueries({ queryKey: ['plans'] });
  respond();
  await vi.waitFor(() => expect(queryFn).toHaveBeenCalledTimes(2));
  respond();
  await vi.waitFor(() => expect(client.getQueryData(queryKey)).toEqual(plans));
  unsubscribe();
  client.clear();
});

const failure = (httpStatus?: number) =>
  Object.assign(new TRPCClientError('failed'), httpStatus && { data: { httpStatus } });

test.each([
  ['without a response', failure(), 'success', 0],
  ['without a session', failure(401), 'success', 1],
  ['with an error of the service', failure(500), 'error', 0],
  ['for a record that is gone', failure(404), 'error', 0],
])('a refetch that fails %s leaves the query in the right state', async (_, error, status, signedOut) => {
  vi.stubGlobal('window', new EventTarget());
  const onSignedOut = vi.fn();
  window.addEventListener(SIGNED_OUT, onSignedOut);
  const client = createQueryClient();
  const queryKey = ['plans', 'list'];
  client.setQueryData(queryKey, ['Essential care']);
  const seen = new Set<string>();
  const observer = new QueryObserver(client, { queryKey, queryFn: () => Promise.reject(error), retry: false });
  // As React does: it reads the result when the batch of notifications has ended.
  const unsubscribe = observer.subscribe(notifyManager.batchCalls(() => seen.add(observer.getCurrentResult().status)));
  await observer.refetch();
  await Promise.resolve();
  expect([...seen, client.getQueryState(queryKey)?.isInvalidated]).toEqual([...new Set(['success', status]), true]);
  expect(client.getQueryData(queryKey)).toEqual(['Essential care']);
  expect(onSignedOut).toHaveBeenCalledTimes(signedOut);
  unsubscribe();
  client.clear();
});

test('names the user of the page, and reports requests without a session or a response of the service', async () => {
  const target = Object.assign(new EventTarget(), { location: { pathname: '/plans' } });
  vi.stubGlobal('window', target);
  const onNoResponse = vi.fn();
  target.addEventListener(NO_RESPONSE, onNoResponse);
  const onSignedOut = vi.fn();
  target.addEventListener(SIGNED_OUT, onSignedOut);
  const owners: (string | null)[] = [];
  let respond: () => Response = () => Response.json([{ error: { message: '', code: 0, data: {} } }], { status: 503 });
  vi.stubGlobal('fetch', async (_: string, { headers }: RequestInit) => {
    owners.push(new Headers(headers).get('x-carelane-user'));
    return respond();
  });
  const client = createTRPCClient<AppRouter>({ links: [createLink(createRefetchTracker(), 'tenant/user')] });
  const call = () => client.session.me.query().catch(() => {});
  await call();
  expect(onNoResponse).toHaveBeenCalledTimes(0);
  respond = () => new Response('<h1>Bad Gateway</h1>', { status: 502 });
  await call();
  expect(onNoResponse).toHaveBeenCalledTimes(1);
  respond = () => {
    throw new TypeError('Failed to fetch');
  };
  await call();
  expect([onNoResponse.mock.calls.length, onSignedOut.mock.calls.length]).toEqual([2, 0]);
  respond = () => Response.json([{ error: { message: '', code: 0, data: {} } }], { status: 401 });
  await call();
  expect([onNoResponse.mock.calls.length, onSignedOut.mock.calls.length]).toEqual([2, 1]);
  expect(new Set(owners)).toEqual(new Set(['tenant/user']));
});
