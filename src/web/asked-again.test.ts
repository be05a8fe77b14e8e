import { createTRPCClient } from '@trpc/client';
import { afterEach, expect, test, vi } from 'vitest';
import type { AppRouter } from '#server/router.ts';
import { createAskedAgain } from './asked-again.ts';
import { createLink } from './trpc-client.tsx';

afterEach(() => vi.unstubAllGlobals());

const chart = { type: 'query', path: 'patients.get', input: { id: '1' } };

test('what a page asks first is somebody’s doing, what it asks again its own', () => {
  const asked = createAskedAgain();
  expect(asked.isAgain('/patients/1', chart)).toBe(false);
  expect(asked.isAgain('/patients/1', chart)).toBe(true);
  expect(asked.isAgain('/patients/1', { ...chart, input: { id: '2' } })).toBe(false);
});

test('whoever comes back to a page opens it again, also from one that asks nothing', () => {
  const asked = createAskedAgain();
  asked.isAgain('/patients/1', chart);
  asked.turnTo('/settings/account');
  expect(asked.isAgain('/patients/1', chart)).toBe(false);
  asked.turnTo('/patients/1');
  expect(asked.isAgain('/patients/1', chart)).toBe(true);
});

test('a change is never asked again by itself', () => {
  const asked = createAskedAgain();
  const change = { ...chart, type: 'mutation' };
  asked.isAgain('/', change);
  expect(asked.isAgain('/', change)).toBe(false);
});

test('a chart that is asked again never goes in one request with what somebody opens', async () => {
  const requests: [calls: string, isAgain: string | null][] = [];
  vi.stubGlobal('window', { location: { pathname: '/patients/1' } });
  vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
    const calls = new URL(url, 'http://localhost').pathname.replace('/api/trpc/', '');
    requests.push([calls, new Headers(headers).get('x-carelane-refetch')]);
    return Response.json(calls.split(',').map(() => ({ result: { data: null } })));
  });
  const client = createTRPCClient<AppRouter>({ links: [createLink(createAskedAgain())] });
  const look = () => client.patients.get.query({ id: '1' });
  await look();
  await Promise.all([
    client.cards.list.query({ patient_id: '1' }),
    look(),
    client.story.list.query({ patient_id: '1' }),
  ]);
  expect(requests).toHaveLength(3);
  expect(requests).toContainEqual(['patients.get', null]);
  expect(requests).toContainEqual(['cards.list,story.list', null]);
  expect(requests).toContainEqual(['patients.get', '1']);
});
