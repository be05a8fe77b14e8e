import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FAULT_KINDS, type FaultKind } from '#emulators/core/faults.ts';
import type { Context } from '#server/core/context.ts';
import { createMirrorServices } from '#server/mirror/services.ts';
import { root } from '../../launcher/root.mjs';
import type { Booking } from './booking.ts';

/** What may befall one call to Acuity: every fault of the emulator, and what only the line or the process can do. */
const ON_THE_LINE = [
  'killed before',
  'killed after',
  /** Done, and an error is the answer. */
  'failed after',
  'down after',
  /** Given up, and done only when the caller has ended. */
  'done late',
  /** The request arrives twice; the answer is to the first. */
  'sent twice',
  /** One answer, twice. */
  'doubled answer',
  /** A read is answered as before the test's scene; a change is done, its answer lost, and the next read stale. */
  'stale',
] as const;
export type How = FaultKind | (typeof ON_THE_LINE)[number];
export const HOWS: readonly How[] = [...FAULT_KINDS, ...ON_THE_LINE];
export type Cut = { call: number; how: How };

/** What may befall a call that changes nothing: before and after it are the same. */
const NOTHING_AFTER: How[] = ['timeout_after', 'reset_after', 'failed after', 'down after', 'done late', 'sent twice'];
export const howsOf = (call: string): readonly How[] =>
  isReading(call) ? HOWS.filter((how) => !NOTHING_AFTER.includes(how)) : HOWS;
const isReading = (call: string): boolean => call.startsWith('GET ') || call.endsWith('/check-times');

const SENT = /^\s*\{\s*method: '([A-Z]+)',\s*path(?:: (['`])(.*?)\2)?[,\s]/s;
const PATH = /const path = `(.*)`;/g;

/**
 * Every call to Acuity that the sources have, by its method and path. One that is new is among them from the moment it is
 * written.
 */
export function allCalls(): string[] {
  const parts = readFileSync(path.join(root, 'src/server/providers/acuity.ts'), 'utf8').split(/\bsend\(/);
  const calls = parts.slice(1).map((site, index) => {
    const [, method, , literal] = SENT.exec(site) ?? [];
    const template = literal ?? [...parts[index]!.matchAll(PATH)].at(-1)?.[1];
    if (!method || !template) throw new Error(`acuity.ts calls Acuity in a way that is not understood: ${site}`);
    // What follows a path is a query.
    return `${method} ${template.replace(/\$\{id\}/g, ':id').replace(/[?$].*$/, '')}`;
  });
  return [...new Set(calls)];
}

/** Time-outs are the provider's setting of seconds; the struck call has this one. */
const PATIENCE_MS = 250;
const realFetch = globalThis.fetch;
const NEVER = new Promise<never>(() => {});
/** All that a dead process still does: nothing. */
const dead: unknown = new Proxy(() => NEVER, { get: (_, name) => (name === 'then' ? undefined : dead) });

const lose = (): never => {
  throw new TypeError('The line was cut.');
};

/** Does something with one of its calls to Acuity cut. Returns the calls that there were. `before`: Acuity's books then. */
export async function cutting(
  clinic: Booking,
  ctx: Context,
  { cut, before = [] }: { cut: Cut | null; before?: ReturnType<Booking['booked']> },
  work: (ctx: Context) => Promise<unknown>,
): Promise<string[]> {
  const made: string[] = [];
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
    const books = clinic.booked();
    const now = books.splice(0, books.length, ...structuredClone(before));
    const answer = await realFetch(...request);
    books.splice(0, books.length, ...now);
    return answer;
  };
  const strike = async (how: How, call: string, ...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const send = () => realFetch(input, init);
    if (how === 'killed before') return die();
    if (how === 'done late') {
      late.push(() => realFetch(input, { ...init, signal: null }));
      throw new DOMException('The operation timed out.', 'TimeoutError');
    }
    if (how === 'stale' && isReading(call)) return readStale(input, init);
    if ((FAULT_KINDS as readonly How[]).includes(how)) {
      await clinic.fault(how, { method: init?.method ?? 'GET', path: new URL(String(input)).pathname });
      const isSlow = /timeout|slow/.test(how);
      return realFetch(input, { ...init, ...(isSlow && { signal: AbortSignal.timeout(PATIENCE_MS) }) });
    }
    const answer = await send();
    const text = await answer.text();
    if (how === 'killed after') return die();
    if (how === 'failed after') return new Response('<h1>Bad gateway</h1>', { status: 502 });
    if (how === 'down after') return Response.json({ status_code: 503, error: 'unavailable' }, { status: 503 });
    if (how === 'sent twice') await (await send()).text();
    if (how === 'stale') {
      isNextStale = true;
      return lose();
    }
    return new Response((how === 'doubled answer' ? text + text : text) || null, answer);
  };
  globalThis.fetch = async (input, init) => {
    if (!String(input).includes('/api/v1/')) return realFetch(input, init);
    // A dead process asks nobody, and keeps nothing.
    if (isDead) return lose();
    const { pathname } = new URL(String(input));
    const call = `${init?.method ?? 'GET'} ${pathname.replace('/api/v1', '').replace(/\/\d+/g, '/:id')}`;
    if (made.push(call) === cut?.call) return strike(cut.how, call, input, init);
    if (!isNextStale || !isReading(call)) return realFetch(input, init);
    isNextStale = false;
    return readStale(input, init);
  };
  const db = new Proxy(ctx.db, { get: (own, name) => (isDead ? dead : Reflect.get(own, name)) });
  // What a dead process waits for would else be waited for when the clinic closes.
  await Promise.race([work({ ...ctx, db, mirror: createMirrorServices() }).catch(() => {}), death]);
  globalThis.fetch = realFetch;
  // What it kept in memory is gone with it.
  if (isDead) clinic.services.catalogues.clear();
  for (const arrive of late) await arrive();
  await clinic.control('DELETE', 'faults');
  return made;
}
