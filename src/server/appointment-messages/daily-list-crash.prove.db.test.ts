import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { type PausePoint, pauseAt } from '#dev/testing/pause-at.ts';
import { type ServiceProcess, serviceProgram } from '#dev/testing/start-service-process.ts';
import type { RunningInbox } from '#emulators/inbox/index.ts';
import { DAY, MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import { localDay, toMinute } from '#server/core/zone.ts';

const WITHIN_MS = 40_000;

let clinic: Clinic<'inbox'>;
let ctx: Context;
let inbox: RunningInbox;
let program: Awaited<ReturnType<typeof serviceProgram>>;
let settings: Record<string, string>;
let running: ServiceProcess | null = null;
let userId: string;
let email: string;

beforeAll(async () => {
  clinic = await withClinic({
    inbox: true,
    env: { DATABASE_CONNECTIONS: '10', PORT: '0', LOG_LEVEL: 'error', PROVIDER_TIMEOUT_MS: '20000' },
  });
  ({ ctx, inbox, settings } = clinic);
  program = await serviceProgram('service-process.ts');
}, 60_000);
beforeEach(async () => {
  userId = newId();
  email = `${userId}@clinic.example.test`;
  await ctx.db.staffUser.create({
    data: { id: userId, tenantId: ctx.tenantId, name: 'Rowan Example', email, role: 'practitioner' },
  });
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await running?.ended;
  running = null;
});
afterAll(async () => {
  await program?.stop();
  await clinic?.stop();
});

/** Creates a list that was due a moment ago, in a zone where midnight is hours away in both directions. */
async function due(): Promise<void> {
  const { tenantId } = ctx;
  const now = new Date();
  const zone = now.getUTCHours() >= 2 && now.getUTCHours() < 22 ? 'UTC' : 'Asia/Tokyo';
  await ctx.db.dailyList.create({
    data: {
      ...{ tenantId, userId, hour: 0, timeZone: zone, onEmptyDays: true, updatedAt: now },
      ...{ dueAt: new Date(now.getTime() - MINUTE), day: localDay(toMinute(new Date(now.getTime() - DAY)), zone) },
    },
  });
  await enqueue(ctx.db, 'send_daily_lists', { tenantId });
}

const arrived = () => inbox.world.state.messages.filter(({ to }) => to.includes(email)).length;
const list = () => ctx.db.dailyList.findFirstOrThrow({ where: { userId } });

/** Ages the lease, which otherwise expires after minutes. */
async function letLeaseRunOut(): Promise<void> {
  await ctx.db.$executeRaw`
    update daily_lists set claimed_at = claimed_at - interval '10 minutes' where state = 'sending'`;
  await enqueue(ctx.db, 'send_daily_lists', { tenantId: ctx.tenantId });
}

const POINTS: [name: string, point: PausePoint, became: string][] = [
  [
    'before the day is stored as started',
    { table: 'daily_lists', at: 'before update', when: "new.state = 'sending'" },
    'sent',
  ],
  [
    'after the send, before its outcome is stored',
    { table: 'daily_lists', at: 'before update', when: "new.state = 'sent'" },
    'unknown',
  ],
];

test.each(POINTS)(
  "killed %s: the day's list arrives once",
  async (_, point, became) => {
    const halted = await pauseAt(clinic.database.ownerUrl, point);
    running = await program.start(settings);
    await due();
    await halted.reached(1);
    running.kill('SIGKILL');
    await running.ended;
    await halted.end();
    await letLeaseRunOut();
    running = await program.start(settings);
    await expect.poll(async () => (await list()).state, { timeout: WITHIN_MS, interval: 100 }).toBe(became);
    expect(arrived()).toBe(1);
    const { dueAt, day } = await list();
    expect(dueAt!.getTime()).toBeGreaterThan(Date.now());
    expect(day).not.toBe(null);
  },
  120_000,
);
