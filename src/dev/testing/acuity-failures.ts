import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FAULT_KINDS, type FaultKind } from '#emulators/core/faults.ts';
import type { Context } from '#server/core/context.ts';
import { createMirrorServices } from '#server/mirror/services.ts';
import { root } from '../../launcher/root.mjs';
import type { Booking } from './booking.ts';

/**
 * All failures of one call to Acuity: the emulator's faults, and those that only the network or the process can cause.
 */
const ON_THE_LINE = [
  'killed before',
  'killed after',
  /** The call takes effect, and the response is an error. */
  'failed after',
  'down after',
  /** The call times out and takes effect only after the caller has finished. */
  'done late',
  /** The request arrives twice, and the response is to the first. */
  'sent twice',
  /** The response body arrives twice. */
  'doubled response',
  /**
   * A read returns the state before the test; a change takes effect, its response is lost, and the next read is stale.
   */
  'stale',
] as const;
export type FailureKind = FaultKind | (typeof ON_THE_LINE)[number];
export const FAILURE_KINDS: readonly FailureKind[] = [...FAULT_KINDS, ...ON_THE_LINE];
export type Failure = { call: number; how: FailureKind };

/** For a call that changes nothing, "before" and "after" are the same. */
const NOTHING_AFTER: FailureKind[] = [
  'timeout_after',
  'reset_after',
  'failed after',
  'down after',
  'done late',
  'sent twice',
];
export const failureKindsOf = (call: string): readonly FailureKind[] =>
  isReading(call) ? FAILURE_KINDS.filter((how) => !NOTHING_AFTER.includes(how)) : FAILURE_KINDS;
const isReading = (call: string): boolean => call.startsWith('GET ') || call.endsWith('/check-times');

const SENT = /^\s*\{\s*method: '([A-Z]+)',\s*path(?:: (['`])(.*?)\2)?[,\s]/s;
const PATH = /const path = `(.*)`;/g;

/** Lists every Acuity call in the source by method and path, so that a new call is covered as soon as it is written. */
export function allCalls(): string[] {
  const parts = readFileSync(path.join(root, 'src/server/providers/acuity.ts'), 'utf8').split(/\bsend\(/);
  const calls = parts.slice(1).map((site, index) => {
    const [, method, , literal] = SENT.exec(site) ?? [];
    const template = literal ?? [...parts[index]!.matchAll(PATH)].at(-1)?.[1];
    if (!method || !template) throw new Error(`acuity.ts calls Acuity in a way that is not understood: ${site}`);
    // The rest after the path is the query string.
    return `${method} ${template.replace(/\$\{id\}/g, ':id').replace(/[?$].*$/, '')}`;
  });
  return [...new Set(calls)];
}

/** The provider timeout is in whole seconds; the cut call uses this one. */
const PATIENCE_MS = 250;
const realFetch = globalThis.fetch;
const NEVER = new Promise<never>(() => {});
/** A dead process's database: no call ever settles. */
const dead: unknown = new Proxy(() => NEVER, { get: (_, name) => (name === 'then' ? undefined : dead) });

const lose = (): never => {
  throw new TypeError('The line was cut.');
};

/**
 * Runs `work` with one of its Acuity calls cut. `before` is Acuity's state before it. @returns all calls that it made
 */
export async function withAcuityFailure(
  clinic: Booking,
  ctx: Context,
  { cut, before = [] }: { cut: Failure | null; before?: ReturnType<Booking['acuity']['booked']> },
  work: (ctx: Context) => Promise<unknown>,
): Promise<string[]> {
  const calls: string[] = [];
  const late: (() => Promise<unknown>)[] = [];
  let isDead = false;
  let isNextStale = false;
  let die: () => never = lose;
  const death = new Promise<void>((resolve) => {
    die = () => {
      isDead = true;
      resolve();
      return lose();
    };
  });
  const readStale = async (...request: Parameters<typeof fetch>) => {
    const books = clinic.acuity.booked();
    const now = books.splice(0, books.length, ...structuredClone(before));
    const response = await realFetch(...request);
    books.splice(0, books.length, ...now);
    return response;
  };
  const strike = async (
    how: FailureKind,
    call: string,
    ...[input, init]: Parameters<typeof fetch>
  ): Promise<Response> => {
    const send = () => realFetch(input, init);
    if (how === 'killed before') return die();
    if (how === 'done late') {
      late.push(() => realFetch(input, { ...init, signal: null }));
      throw new DOMException('The operation timed out.', 'TimeoutError');
    }
    if (how === 'stale' && isReading(call)) return readStale(input, init);
    if ((FAULT_KINDS as readonly FailureKind[]).includes(how)) {
      await clinic.acuity.fault(how, { method: init?.method ?? 'GET', path: new URL(String(input)).pathname });
      const isSlow = /timeout|slow/.test(how);
      return realFetch(input, { ...init, ...(isSlow && { signal: AbortSignal.timeout(PATIENCE_MS) }) });
    }
    const response = await send();
    const text = await response.text();
    if (how === 'killed after') return die();
    if (how === 'failed after') return new Response('<h1>Bad gateway</h1>', { status: 502 });
    if (how === 'down after') return Response.json({ status_code: 503, error: 'unavailable' }, { status: 503 });
    if (how === 'sent twice') await (await send()).text();
    if (how === 'stale') {
      isNextStale = true;
      return lose();
    }
    return new Response((how === 'doubled response' ? text + text : text) || null, response);
  };
  globalThis.fetch = async (input, init) => {
    if (!String(input).includes('/api/v1/')) return realFetch(input, init);
    // A dead process sends no requests.
    if (isDead) return lose();
    const { pathname } = new URL(String(input));
    const call = `${init?.method ?? 'GET'} ${pathname.replace('/api/v1', '').replace(/\/\d+/g, '/:id')}`;
    if (calls.push(call) === cut?.call) return strike(cut.how, call, input, init);
    if (!isNextStale || !isReading(call)) return realFetch(input, init);
    isNextStale = false;
    return readStale(input, init);
  };
  const db = new Proxy(ctx.db, { get: (own, name) => (isDead ? dead : Reflect.get(own, name)) });
  // Without its own mirror, closing the clinic would wait for the dead process's pending work.
  await Promise.race([work({ ...ctx, db, mirror: createMirrorServices() }).catch(() => {}), death]);
  globalThis.fetch = realFetch;
  // A dead process loses its in-memory cache.
  if (isDead) clinic.services.catalogues.clear();
  for (const arrive of late) await arrive();
  await clinic.acuity.control('DELETE', 'faults');
  return calls;
}
