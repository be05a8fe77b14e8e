import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createConnection } from './connection.ts';
import { fetchWhenConnected } from './hold-page-requests.ts';
import { reportNoResponse } from './reach-server.ts';

let isReachable: boolean;
let checks: number;
let connection: ReturnType<typeof createConnection>;
let stop: () => void;
let browserEvents: string[];
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', page);
  vi.stubGlobal('navigator', { onLine: true });
  isReachable = true;
  checks = 0;
  connection = createConnection(async () => {
    checks += 1;
    return isReachable;
  });
  stop = connection.listen();
  browserEvents = [];
  for (const type of ['online', 'offline']) window.addEventListener(type, () => browserEvents.push(type));
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a single failed request does not count as a lost connection', async () => {
  reportNoResponse();
  await wait(0);
  expect([checks, connection.read()]).toEqual([1, 'connected']);
});

test('asks once for many failed requests', async () => {
  isReachable = false;
  for (let call = 0; call < 5; call += 1) reportNoResponse();
  await wait(0);
  expect([checks, connection.read()]).toEqual([1, 'lost']);
});

test('asks again after 1, 2, 4, 8 and then every 15 seconds, and says for a moment that it is back', async () => {
  isReachable = false;
  reportNoResponse();
  await wait(0);
  const asked: number[] = [];
  for (let second = 1; second <= 46; second += 1) {
    const before = checks;
    await wait(1000);
    if (checks > before) asked.push(second);
  }
  expect(asked).toEqual([1, 3, 7, 15, 30, 45]);
  isReachable = true;
  await wait(15_000);
  expect(connection.read()).toBe('restored');
  await wait(4_000);
  expect(connection.read()).toBe('connected');
  const before = checks;
  await wait(60_000);
  expect(checks).toBe(before);
});

test('tells the browser’s listeners of a loss that the browser does not notice, once each', async () => {
  isReachable = false;
  reportNoResponse();
  await wait(3_000);
  expect(browserEvents).toEqual(['offline']);
  isReachable = true;
  await connection.check();
  expect(browserEvents).toEqual(['offline', 'online']);
});

test('asks at once when the tab becomes visible, only while the connection is lost', async () => {
  page.dispatchEvent(new Event('visibilitychange'));
  await wait(0);
  expect(checks).toBe(0);
  isReachable = false;
  await connection.check();
  isReachable = true;
  page.dispatchEvent(new Event('visibilitychange'));
  await wait(0);
  expect(connection.read()).toBe('restored');
});

test('asks nothing after it has stopped listening', async () => {
  isReachable = false;
  await connection.check();
  stop();
  const before = checks;
  await wait(60_000);
  reportNoResponse();
  await wait(0);
  expect(checks).toBe(before);
});

test('repeats a request for a page when the connection is back, also after an error of a proxy', async () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: isReachable ? 200 : 503 }));
  isReachable = false;
  const results: (Response | Error)[] = [new Error('no network'), new Response('', { status: 502 })];
  const send = vi.fn(async () => {
    const result = results.shift() ?? new Response('the page');
    if (result instanceof Error) throw result;
    return result;
  });
  const response = fetchWhenConnected(send);
  await wait(0);
  expect([send.mock.calls.length, connection.read()]).toEqual([1, 'lost']);
  isReachable = true;
  await connection.check();
  expect(await (await response).text()).toBe('the page');
  expect(send).toHaveBeenCalledTimes(3);
});
