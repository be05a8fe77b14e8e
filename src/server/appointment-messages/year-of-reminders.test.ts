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
  appointment: PlannedAppointment;
  stored: (StoredMessage & { tries: number })[];
  sent: { row: StoredMessage; at: Date }[];
};

const quietByWall = (at: Date, zone: string) => {
  const { hour } = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return hour >= 21 || hour < 8;
};

function plan(life: Life, now: Date, change: AppointmentChange, { settings, timeZone }: Setup): void {
  const { create, update } = planMessages({
    ...{
      appointment: life.appointment,
      stored: life.stored,
      settings,
      timeZone,
      now,
      cause: change,
      inCare: true,
      isBookingUnplanned: false,
    },
  });
  for (const { id, ...data } of update)
    Object.assign(
      life.stored.find((row) => row.id === id && ['planned', 'skipped'].includes(row.state))!,
      Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)),
    );
  for (const one of create)
    life.stored.push({ ...one, id: String(life.stored.length), startAt: life.appointment.startAt, turn: 0, tries: 0 });
}

function send(life: Life, now: Date, { settings, timeZone }: Setup): void {
  for (const row of life.stored.filter((one) => one.state === 'planned' && one.dueAt <= now)) {
    const verdict = decideDelivery({
      row,
      appointment: life.appointment,
      inCare: true,
      settings,
      timeZone,
      stored: life.stored,
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

type Setup = { settings: MessageSettings; timeZone: string };
type Step = { kind: 'move' | 'cancel' | 'away'; afterHours: number; byHours: number };

/** Simulates one appointment from its booking to its end, running whenever a message is due. */
function live(setup: Setup, bookedAt: number, leadHours: number, steps: Step[]): Life {
  const life: Life = {
    appointment: { status: 'scheduled', startAt: new Date(bookedAt + leadHours * HOUR), updatedAt: new Date(bookedAt) },
    stored: [],
    sent: [],
  };
  let now = bookedAt;
  let awayUntil = 0;
  plan(life, new Date(now), { topic: 'scheduled', there: false }, setup);
  const pending = steps.map((step) => ({ ...step, at: bookedAt + step.afterHours * HOUR })).sort((a, b) => a.at - b.at);
  for (let turn = 0; turn < 500; turn += 1) {
    if (now >= awayUntil) send(life, new Date(now), setup);
    const due = life.stored.filter((one) => one.state === 'planned').map((one) => one.dueAt.getTime());
    // A worker that returns processes everything that became due while it was down.
    const nextDue = Math.max(Math.min(...due), awayUntil);
    const next = Math.max(now, Math.min(nextDue, pending[0]?.at ?? Number.POSITIVE_INFINITY));
    if (!Number.isFinite(next)) return life;
    now = next;
    while (pending[0] && pending[0].at <= now) {
      const step = pending.shift()!;
      if (step.kind === 'away') awayUntil = now + step.byHours * HOUR;
      else if (life.appointment.status === 'scheduled' && life.appointment.startAt.getTime() > now) {
        const startAt = new Date(Math.max(life.appointment.startAt.getTime() + step.byHours * HOUR, now + HOUR));
        const change = step.kind === 'cancel' ? { status: 'canceled' } : { startAt };
        life.appointment = { ...life.appointment, ...change, updatedAt: new Date(now) };
        plan(life, new Date(now), { topic: step.kind === 'cancel' ? 'canceled' : 'rescheduled', there: false }, setup);
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
function faultsOf({ appointment, stored, sent }: Life, { timeZone, settings }: Setup, isSteady: boolean): string[] {
  const faults: string[] = [];
  const reminders = sent.filter(({ row }) => row.kind === 'reminder');
  const keys = reminders.map(({ row }) => `${row.startAt.toISOString()} ${row.minutesBefore} ${row.channel}`);
  if (new Set(keys).size < keys.length) faults.push(`twice: ${keys}`);
  for (const { row, at } of reminders) {
    if (quietByWall(at, timeZone)) faults.push(`in quiet hours: ${at.toISOString()}`);
    if (at >= row.startAt) faults.push(`after the visit: ${at.toISOString()}`);
  }
  if (appointment.status === 'canceled')
    for (const { at, row } of sent)
      if (at > appointment.updatedAt && row.kind !== 'cancellation') faults.push(`after the end: ${row.kind}`);
  if (stored.some(({ state }) => state === 'planned')) faults.push('never decided');
  // Without changes, all messages that were due in time were sent.
  if (isSteady)
    for (const minutes of settings.reminders) {
      const isAhead = appointment.startAt.getTime() - minutes * 60_000 - 14 * HOUR > appointment.updatedAt.getTime();
      const row = stored.find((one) => one.kind === 'reminder' && one.minutesBefore === minutes);
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
        const setup = { timeZone, settings: { ...DEFAULT_SETTINGS, reminders: [2880, 1440, 60] } };
        const life = live(setup, bookedAt * HOUR, leadHours, happening);
        seen.sent += life.sent.length;
        seen.zones.add(timeZone);
        expect(faultsOf(life, setup, happening.length === 0)).toEqual([]);
      },
    ),
    { numRuns: perZone * ZONES.length, seed: SEED },
  );
  expect(seen.sent).toBeGreaterThan(ZONES.length);
  expect(seen.zones.size).toBeGreaterThan(ZONES.length / 3);
}, 1_800_000);
