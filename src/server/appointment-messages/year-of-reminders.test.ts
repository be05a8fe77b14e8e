import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, type MessageSettings } from '#contract/message-settings.ts';
import { SEED } from '#dev/testing/seed.ts';
import { decideDelivery } from './decide-delivery.ts';
import { type AppointmentChange, type PlannedAppointment, planMessages, type StoredMessage } from './plan-messages.ts';

const ZONES = Intl.supportedValuesOf('timeZone');
const [FIRST, LAST] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
const HOUR = 3_600_000;
/** Simulates the jobs: a run per minute, and occasionally a worker that is down for hours. */
type Life = {
  visit: PlannedAppointment;
  known: (StoredMessage & { tries: number })[];
  sent: { row: StoredMessage; at: Date }[];
};

const quietByWall = (at: Date, zone: string) => {
  const { hour } = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return hour >= 21 || hour < 8;
};

function plan(life: Life, now: Date, news: AppointmentChange, { settings, timeZone }: Clinic): void {
  const { create, update } = planMessages({
    ...{
      appointment: life.visit,
      stored: life.known,
      settings,
      timeZone,
      now,
      cause: news,
      inCare: true,
      isBookingUnplanned: false,
    },
  });
  for (const { id, ...data } of update)
    Object.assign(
      life.known.find((row) => row.id === id && ['planned', 'skipped'].includes(row.state))!,
      Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)),
    );
  for (const one of create)
    life.known.push({ ...one, id: String(life.known.length), startAt: life.visit.startAt, turn: 0, tries: 0 });
}

function send(life: Life, now: Date, { settings, timeZone }: Clinic): void {
  for (const row of life.known.filter((one) => one.state === 'planned' && one.dueAt <= now)) {
    const verdict = decideDelivery({
      row,
      appointment: life.visit,
      inCare: true,
      settings,
      timeZone,
      stored: life.known,
      now,
    });
    if ('wait' in verdict) row.dueAt = verdict.wait;
    else if ('skip' in verdict) Object.assign(row, { state: 'skipped', why: verdict.skip });
    else {
      Object.assign(row, { state: 'sent', tries: 1 });
      life.sent.push({ row: { ...row }, at: now });
    }
  }
}

type Clinic = { settings: MessageSettings; timeZone: string };
type Step = { kind: 'move' | 'cancel' | 'away'; afterHours: number; byHours: number };

/** Simulates one appointment from its booking to its end, running whenever a message is due. */
function live(clinic: Clinic, bookedAt: number, leadHours: number, steps: Step[]): Life {
  const life: Life = {
    visit: { status: 'scheduled', startAt: new Date(bookedAt + leadHours * HOUR), updatedAt: new Date(bookedAt) },
    known: [],
    sent: [],
  };
  let now = bookedAt;
  let awayUntil = 0;
  plan(life, new Date(now), { topic: 'scheduled', there: false }, clinic);
  const pending = steps.map((step) => ({ ...step, at: bookedAt + step.afterHours * HOUR })).sort((a, b) => a.at - b.at);
  for (let turn = 0; turn < 500; turn += 1) {
    if (now >= awayUntil) send(life, new Date(now), clinic);
    const due = life.known.filter((one) => one.state === 'planned').map((one) => one.dueAt.getTime());
    // A worker that returns processes everything that became due while it was down.
    const nextDue = Math.max(Math.min(...due), awayUntil);
    const next = Math.max(now, Math.min(nextDue, pending[0]?.at ?? Number.POSITIVE_INFINITY));
    if (!Number.isFinite(next)) return life;
    now = next;
    while (pending[0] && pending[0].at <= now) {
      const step = pending.shift()!;
      if (step.kind === 'away') awayUntil = now + step.byHours * HOUR;
      else if (life.visit.status === 'scheduled' && life.visit.startAt.getTime() > now) {
        const startAt = new Date(Math.max(life.visit.startAt.getTime() + step.byHours * HOUR, now + HOUR));
        const change = step.kind === 'cancel' ? { status: 'canceled' } : { startAt };
        life.visit = { ...life.visit, ...change, updatedAt: new Date(now) };
        plan(life, new Date(now), { topic: step.kind === 'cancel' ? 'canceled' : 'rescheduled', there: false }, clinic);
      }
    }
  }
  throw new Error('it never ended');
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind']>('move', 'move', 'cancel', 'away'),
    afterHours: fc.integer({ min: 0, max: 400 }),
    byHours: fc.integer({ min: -72, max: 200 }),
  }),
  { maxLength: 4 },
);

/** Checks the invariants of one simulated appointment. */
function faultsOf({ visit, known, sent }: Life, { timeZone, settings }: Clinic, isSteady: boolean): string[] {
  const faults: string[] = [];
  const reminders = sent.filter(({ row }) => row.kind === 'reminder');
  const keys = reminders.map(({ row }) => `${row.startAt.toISOString()} ${row.minutesBefore} ${row.channel}`);
  if (new Set(keys).size < keys.length) faults.push(`twice: ${keys}`);
  for (const { row, at } of reminders) {
    if (quietByWall(at, timeZone)) faults.push(`in quiet hours: ${at.toISOString()}`);
    if (at >= row.startAt) faults.push(`after the visit: ${at.toISOString()}`);
  }
  if (visit.status === 'canceled')
    for (const { at, row } of sent)
      if (at > visit.updatedAt && row.kind !== 'cancellation') faults.push(`after the end: ${row.kind}`);
  if (known.some(({ state }) => state === 'planned')) faults.push('never decided');
  // Without changes, all messages that were due in time were sent.
  if (isSteady)
    for (const minutes of settings.reminders) {
      const isAhead = visit.startAt.getTime() - minutes * 60_000 - 14 * HOUR > visit.updatedAt.getTime();
      const row = known.find((one) => one.kind === 'reminder' && one.minutesBefore === minutes);
      if (isAhead && row?.state !== 'sent' && row?.why !== 'replaced') faults.push(`lost: ${minutes}`);
    }
  return faults;
}

test('a year of reminders in every zone: each once, none in quiet hours, none after a cancellation', () => {
  const perZone = process.env.PROVE ? 100 : 1;
  const seen = { sent: 0, zones: new Set<string>() };
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: FIRST / HOUR, max: LAST / HOUR }),
      fc.integer({ min: 1, max: 24 * 45 }),
      steps,
      (timeZone, bookedAt, leadHours, happening) => {
        const clinic = { timeZone, settings: { ...DEFAULT_SETTINGS, reminders: [2880, 1440, 60] } };
        const life = live(clinic, bookedAt * HOUR, leadHours, happening);
        seen.sent += life.sent.length;
        seen.zones.add(timeZone);
        expect(faultsOf(life, clinic, happening.length === 0)).toEqual([]);
      },
    ),
    { numRuns: perZone * ZONES.length, seed: SEED },
  );
  expect(seen.sent).toBeGreaterThan(ZONES.length);
  expect(seen.zones.size).toBeGreaterThan(ZONES.length / 3);
}, 1_800_000);
