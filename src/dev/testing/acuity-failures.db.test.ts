import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAULT_KINDS, type FaultKind } from '#emulators/core/faults.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import { type Context, contextFor, type Services } from '#server/core/context.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';
import { getAcuityAccount } from '#server/integrations/scheduling-account.ts';
import { createMirrorServices } from '#server/mirror/services.ts';
import { reconcileAcuity } from '#server/reconcile/reconcile-acuity.ts';
import { explainAvailability } from '#server/scheduling/availability/explain-availability.ts';
import { nextAvailability } from '#server/scheduling/availability/next-availability.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { markNoShow } from '#server/scheduling/booking/mark-appointment.ts';
import { rescheduleAppointment } from '#server/scheduling/booking/reschedule-appointment.ts';
import { refreshAppointment } from '#server/scheduling/sync/sync-appointment.ts';
import { attachUnmatched } from '#server/scheduling/unmatched/attach-unmatched.ts';
import { exchangeVisitLink } from '#server/visits/router.ts';
import { root } from '../../launcher/root.mjs';
import { asAdmin, asApplication, asPractitioner } from './actors.ts';
import { type Booking, withBooking } from './booking.ts';
import { withClinic } from './clinic.ts';
import { differencesToAcuity } from './invariants/acuity-truth.ts';
import { reconcileAcuityFor, runJobs } from './reconciling.ts';
import { ALDER, dayAhead, FOLLOW_UP, makePatient, ROWAN } from './scheduling.ts';
import { SEED, seededRandom } from './seed.ts';

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
type FailureKind = FaultKind | (typeof ON_THE_LINE)[number];
const FAILURE_KINDS: readonly FailureKind[] = [...FAULT_KINDS, ...ON_THE_LINE];
type Failure = { call: number; how: FailureKind };

/** For a call that changes nothing, "before" and "after" are the same. */
const NOTHING_AFTER: FailureKind[] = [
  'timeout_after',
  'reset_after',
  'failed after',
  'down after',
  'done late',
  'sent twice',
];
const failureKindsOf = (call: string): readonly FailureKind[] =>
  isReading(call) ? FAILURE_KINDS.filter((how) => !NOTHING_AFTER.includes(how)) : FAILURE_KINDS;
const isReading = (call: string): boolean => call.startsWith('GET ') || call.endsWith('/check-times');

const SENT = /^\s*\{\s*method: '([A-Z]+)',\s*path(?:: (['`])(.*?)\2)?[,\s]/s;
const PATH = /const path = `(.*)`;/g;

/** Lists every Acuity call in the source by method and path, so that a new call is covered as soon as it is written. */
function allCalls(): string[] {
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
async function withAcuityFailure(
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

/**
 * `PROVE=1` covers every call of every use case × every failure × retried or not, within ten minutes. Otherwise a
 * seeded sample.
 */
const LONG = process.env.PROVE === '1';
const SHORT = 5;
const LONGEST_MS = 10 * MINUTE;

let clinic: Booking;
const slots: string[] = [];
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
  clinic.acuity.limits().maxDaysInAdvance = 88;
  for (let day = 0; day < (LONG ? 84 : 4); day += 1)
    slots.push(...(await clinic.free(clinic.nextDay(), ROWAN)).map(({ from_date }) => from_date));
}, 120_000);
afterAll(async () => {
  globalThis.fetch = realFetch;
  await clinic?.stop();
});

/** `isAlone`: affects state that exists once per clinic, so it runs in a group of its own; it repeats automatically. */
type Scenario = { run(ctx: Context): Promise<unknown>; isAlone?: true };
/** A comparison never starts before the previous one ended. */
let comparedUntil = new Date();
/** Number of the current case, for its patients' email addresses. */
let playing = 0;
const nameNew = () => `case-${playing}.${crypto.randomUUID()}@example.test`;
const slot = () => slots.shift()!;
const app = () => asApplication(clinic.services, clinic.tenant);
const wish = async (more: object = {}) => ({
  patient_id: (await makePatient(clinic, { email: nameNew() })).id,
  appointment_type_id: FOLLOW_UP,
  from_date: slot(),
  ...more,
});
const booked = async () => bookAppointment(app(), await wish({ calendar_id: ROWAN }));
const inConsole = async (email: string): Promise<number> => {
  const booking = { datetime: slot(), appointmentTypeID: FOLLOW_UP, calendarID: ROWAN };
  const names = { firstName: 'Robin', lastName: 'Example', email };
  return (await clinic.acuity.console('POST', '/appointments?admin=true', { ...booking, ...names })).id;
};
/** Background work creates its own context; its database calls must go through the one that may die. */
const behind = (ctx: Context, at = new Date()): Services => ({
  ...clinic.services,
  clock: { now: () => at },
  database: { ...clinic.services.database, forTenant: () => ctx.db } as never,
});
const refresh = (providerAppointmentId: number) => async (ctx: Context) =>
  refreshAppointment(behind(ctx), {
    tenantId: clinic.tenant.id,
    accountId: (await getAcuityAccount(clinic.ctx)).accountId,
    providerAppointmentId,
  });
/** Runs the pending refresh jobs. */
const work = (ctx: Context, at?: Date) => runJobs(behind(ctx, at), clinic.tenant.id, ['refresh_appointment']);
/** No-show appointments are placed one before the other. */
const BEGUN_AT = Math.floor(Date.now() / MINUTE) * MINUTE;
let quarters = 0;

const VERBS: Record<string, () => Promise<Scenario>> = {
  'a booking': async () => {
    const input = await wish({ calendar_id: ROWAN });
    return { run: (ctx) => bookAppointment(ctx, input) };
  },
  'a booking on any calendar': async () => {
    const input = await wish();
    return { run: (ctx) => bookAppointment(ctx, input) };
  },
  'a move': async () => {
    const { id } = await booked();
    const input = { id, from_date: slot() };
    return { run: (ctx) => rescheduleAppointment(ctx, input) };
  },
  'a cancellation': async () => {
    const { id } = await booked();
    return { run: (ctx) => cancelAppointment(ctx, { id }) };
  },
  'a no-show': async () => {
    const { id, provider_appointment_id } = await booked();
    const startAt = BEGUN_AT - HOUR - 15 * MINUTE * ++quarters;
    const endAt = startAt + 15 * MINUTE;
    const there = clinic.acuity.booked().find((one) => one.id === provider_appointment_id)!;
    Object.assign(there, { startAt, endAt, duration: 15 });
    const data = { startAt: new Date(startAt), endAt: new Date(endAt) };
    await clinic.ctx.db.appointment.updateMany({ where: { id }, data });
    await clinic.ctx.db.slotClaim.updateMany({ where: { appointmentId: id }, data });
    // Long enough ago that it cannot be undone any more.
    const markedAt = new Date(Date.now() - 11 * MINUTE);
    await markNoShow({ ...app(), clock: { now: () => markedAt } }, { id });
    return { run: (ctx) => runJobs(behind(ctx), clinic.tenant.id, ['send_no_show']) };
  },
  'an exchanged link': async () => {
    const { id } = await booked();
    return {
      async run(ctx) {
        await exchangeVisitLink({ ...asPractitioner(clinic.services, clinic.tenant), db: ctx.db }, { id });
        await work(ctx);
      },
    };
  },
  'a booking whose outcome is looked up': async () => {
    const input = await wish({ calendar_id: ROWAN });
    await clinic.acuity.fault('reset_after', { method: 'POST', path: '/api/v1/appointments' });
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/appointments' });
    await bookAppointment(app(), input).catch(() => {});
    const at = new Date(Date.now() + 2 * MINUTE);
    return { run: (ctx) => runJobs(behind(ctx, at), clinic.tenant.id, ['resolve_appointment']) };
  },
  'what the console booked for a patient': async () => {
    const email = nameNew();
    await makePatient(clinic, { email });
    return { run: refresh(await inConsole(email)) };
  },
  'an unmatched console booking, attached': async () => {
    const id = await inConsole(nameNew());
    const { id: patient_id } = await makePatient(clinic, { email: nameNew() });
    return {
      async run(ctx) {
        await refresh(id)(ctx);
        const row = await ctx.db.unmatchedAppointment.findFirst({ where: { providerAppointmentId: id } });
        const admin = { ...asAdmin(clinic.services, clinic.tenant), db: ctx.db };
        if (row) await attachUnmatched(admin, { id: row.id, patient_id });
        await refresh(id)(ctx);
      },
    };
  },
  'a comparison': async () => {
    const email = nameNew();
    await makePatient(clinic, { email });
    await inConsole(email);
    clinic.acuity.hooks().length = 0;
    const at = new Date(Math.max(Date.now(), comparedUntil.getTime()) + MINUTE);
    comparedUntil = new Date(at.getTime() + MINUTE);
    return {
      isAlone: true,
      async run(ctx) {
        await reconcileAcuity(behind(ctx, at), { tenantId: clinic.tenant.id });
        await work(ctx, comparedUntil);
      },
    };
  },
  'the account connected again, from another address': async () => {
    const target = `http://former.example.test/api/webhooks/acuity/${clinic.tenant.id}`;
    clinic.acuity.hooks().splice(0, Number.POSITIVE_INFINITY, { id: 1, event: 'appointment.changed', target });
    const admin = asAdmin(clinic.services, clinic.tenant);
    return { isAlone: true, run: (ctx) => connectAcuity({ ...admin, db: ctx.db }, clinic.acuity.account) };
  },
  'a search for times': async () => {
    await clinic.ctx.db.availabilityDay.deleteMany();
    const type = { appointment_type_id: FOLLOW_UP, calendar_id: ALDER };
    return {
      isAlone: true,
      async run(ctx) {
        await nextAvailability(ctx, type);
        await explainAvailability(ctx, { ...type, from_date: `${dayAhead(4)}T05:00:00Z` });
      },
    };
  },
};

type Case = { name: string; cut: Failure; isRetried: boolean; isAlone: boolean };

/** Every call × every failure; work that repeats automatically needs no retry. */
async function casesOf(name: string, seen: Set<string>): Promise<Case[]> {
  const { run, isAlone = false } = await VERBS[name]!();
  const calls = await withAcuityFailure(clinic, app(), { cut: null }, run);
  expect([name, calls.length > 0]).toEqual([name, true]);
  for (const call of calls) seen.add(call);
  return calls.flatMap((call, n) =>
    failureKindsOf(call).flatMap((how) =>
      (isAlone ? [false] : [true, false]).map((isRetried) => ({ name, cut: { call: n + 1, how }, isRetried, isAlone })),
    ),
  );
}

async function play({ name, cut, isRetried }: Case): Promise<void> {
  const before = structuredClone(clinic.acuity.booked());
  const { run } = await VERBS[name]!();
  await withAcuityFailure(clinic, app(), { cut, before }, run);
  if (isRetried) await withAcuityFailure(clinic, contextFor(clinic.services, app().actor, {}), { cut: null }, run);
}

/** The differences between both sides, each with its case number if known. */
async function differences(): Promise<[number | null, string][]> {
  const problems = await differencesToAcuity(clinic.ctx, clinic.acuity.booked(), comparedUntil);
  const { id } = clinic.tenant;
  const target = `${clinic.services.config.publicUrl}/api/webhooks/acuity/${id}`;
  const ours = clinic.acuity.hooks().filter((hook) => hook.target.endsWith(id));
  if (ours.length !== 1 || ours[0]!.target !== target) problems.push(`webhooks: ${JSON.stringify(ours)}`);
  const emails = new Map(clinic.acuity.booked().map((one) => [String(one.id), one.email]));
  for (const row of await clinic.ctx.db.appointment.findMany({ include: { patient: true } }))
    emails.set(row.id, row.patient.email ?? '');
  return problems.map((text) => [Number(/^case-(\d+)/.exec(emails.get(text.split(' ')[0]!) ?? '')?.[1] ?? null), text]);
}

test(`both sides agree after healing, for any cut call (seed ${SEED})`, async () => {
  const until = performance.now() + LONGEST_MS;
  const next = seededRandom();
  const shuffle = <T>(all: T[]) =>
    all
      .map((one) => ({ one, at: next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  const seen = new Set<string>();
  const cases: Case[] = [];
  for (const name of Object.keys(VERBS)) cases.push(...(await casesOf(name, seen)));
  expect(allCalls().filter((call) => !seen.has(call))).toEqual([]);

  // Failures of the same call are healed together.
  const groups = new Map<string, Case[]>();
  for (const one of LONG ? cases : shuffle(cases).slice(0, SHORT)) {
    const key = `${one.name} ${one.cut.call} ${one.isAlone ? one.cut.how : ''}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const played: Case[] = [];
  const reported = new Set<string>();
  const failed: unknown[] = [];
  for (const group of shuffle([...groups.values()])) {
    if (performance.now() > until) break;
    for (const one of group) {
      playing = played.push(one);
      await play(one);
    }
    comparedUntil = await reconcileAcuityFor(clinic.services, clinic.tenant.id, comparedUntil);
    for (const [number, text] of await differences())
      if (!reported.has(text)) {
        reported.add(text);
        failed.push([number ? played[number - 1] : group.at(-1), text]);
      }
  }
  console.info(
    `cut Acuity calls: seed ${SEED}, ${played.length} of ${cases.length} cuts of ${seen.size} calls, ${failed.length} differences`,
  );
  expect(failed).toEqual([]);
}, 1_800_000);

test('a failed cancellation does not stay pending after the console has rescheduled the appointment', async () => {
  const { id, provider_appointment_id } = await booked();
  const datetime = slot();
  await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/reschedule?admin=true`, { datetime });
  for (const how of ['500', '503'] as const) await clinic.acuity.fault(how, { path: '/api/v1/appointments/*' });
  await cancelAppointment(app(), { id }).catch(() => {});
  // The first refresh finds the new time, the second that nothing was canceled.
  for (const _ of [1, 2]) comparedUntil = await reconcileAcuityFor(clinic.services, clinic.tenant.id, comparedUntil);
  const include = { claims: true };
  expect(await clinic.ctx.db.appointment.findFirst({ where: { id }, include })).toMatchObject({
    ...{ status: 'scheduled', startAt: new Date(datetime), pendingChange: null },
    claims: [{ startAt: new Date(datetime) }],
  });
});
