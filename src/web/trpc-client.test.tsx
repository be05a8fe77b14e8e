import { QueryObserver } from '@tanstack/react-query';
import { createTRPCClient } from '@trpc/client';
import { afterEach, expect, test, vi } from 'vitest';
import type { AppRouter } from '#server/router.ts';
import { createLink, createQueryClient, createRefetchTracker } from './trpc-client.tsx';

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
