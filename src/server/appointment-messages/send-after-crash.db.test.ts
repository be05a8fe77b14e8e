import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { type PausePoint, pauseAt } from '#dev/testing/pause-at.ts';
import { type ServiceProcess, serviceProgram } from '#dev/testing/start-service-process.ts';
import type { RunningInbox } from '#emulators/inbox/index.ts';
import { DAY, MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';

const WITHIN_MS = 40_000;

let clinic: Clinic<'inbox'>;
let ctx: Context;
let inbox: RunningInbox;
let program: Awaited<ReturnType<typeof serviceProgram>>;
let settings: Record<string, string>;
let running: ServiceProcess | null = null;

beforeAll(async () => {
  clinic = await withClinic({
    inbox: true,
    env: { DATABASE_CONNECTIONS: '10', PORT: '0', LOG_LEVEL: 'error', PROVIDER_TIMEOUT_MS: '20000' },
  });
  ({ ctx, inbox, settings } = clinic);
  program = await serviceProgram('service-process.ts');
}, 60_000);
afterEach(async () => {
  running?.kill('SIGKILL');
  await running?.ended;
  running = null;
});
afterAll(async () => {
  await program?.stop();
  await clinic?.stop();
});

/** Creates an appointment booked a moment ago, with its plan job. */
async function booked(): Promise<{ id: string; email: string }> {
  const { tenantId } = ctx;
  const [id, patientId] = [newId(), newId()];
  const email = `${patientId}@example.test`;
  await ctx.db.patient.create({ data: { id: patientId, tenantId, email, firstName: 'Ada' } });
  const startAt = new Date(Math.ceil(Date.now() / MINUTE) * MINUTE + 3 * DAY);
  await ctx.db.$transaction(async (tx) => {
    await tx.appointment.create({
      data: {
        ...{ id, tenantId, patientId, appointmentTypeId: 1, appointmentType: 'Visit', calendarId: 1 },
        ...{ calendar: 'Rowan Example', timeZone: 'America/New_York', videoToken: newId(), status: 'scheduled' },
        ...{ startAt, endAt: new Date(startAt.getTime() + 30 * MINUTE), asked: 'request' },
      },
    });
    await enqueue(tx, 'plan_visit_messages', { tenantId, appointmentId: id, topic: 'scheduled', there: false });
  });
  return { id, email };
}

const mailsTo = (address: string) => inbox.world.state.messages.filter(({ to }) => to.includes(address)).length;
const confirmationOf = (appointmentId: string) =>
  ctx.db.visitMessage.findFirst({ where: { appointmentId, kind: 'confirmation' } });
const isSettled = async (id: string) => ['sent', 'failed'].includes((await confirmationOf(id))?.state ?? '');

/** Ages the lease, which otherwise expires after minutes. */
async function letLeaseRunOut(): Promise<void> {
  await ctx.db.$executeRaw`
    update visit_messages set claimed_at = claimed_at - interval '10 minutes' where state = 'sending'`;
  await enqueue(ctx.db, 'send_visit_messages', { tenantId: ctx.tenantId });
}

const POINTS: [name: string, point: PausePoint, arrives: number, state: string][] = [
  ['while it is planned', { table: 'visit_messages', at: 'before insert' }, 1, 'sent'],
  [
    'before it is stored as being sent',
    { table: 'visit_messages', at: 'before update', when: "new.state = 'sending'" },
    ...([1, 'sent'] as [number, string]),
  ],
  [
    'after the send, before its outcome is stored',
    { table: 'visit_messages', at: 'before update', when: "new.state = 'sent'" },
    ...([1, 'failed'] as [number, string]),
  ],
];

// The default run kills once, at the point whose outcome cannot be looked up.
test.each(process.env.PROVE ? POINTS : POINTS.slice(-1))(
  'killed %s: the message arrives once, or its outcome is unknown',
  async (_, point, arrives, state) => {
    const halted = await pauseAt(clinic.database.ownerUrl, point);
    running = await program.start(settings);
    const { id, email } = await booked();
    await halted.reached(1);
    running.kill('SIGKILL');
    await running.ended;
    await halted.end();
    await letLeaseRunOut();
    running = await program.start(settings);
    await expect.poll(() => isSettled(id), { timeout: WITHIN_MS, interval: 100 }).toBe(true);
    expect(await confirmationOf(id)).toMatchObject({ state, why: state === 'failed' ? 'unknown' : null });
    expect(mailsTo(email)).toBe(arrives);
    const events = await ctx.db.event.count({ where: { objectId: (await confirmationOf(id))!.id } });
    expect(events).toBe(1);
  },
  120_000,
);

/** A mail server that accepts the whole message and never responds. */
async function startSilent(): Promise<{ url: string; received: () => number; stop: () => Promise<void> }> {
  let received = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    let inData = false;
    // The terminator may be split across chunks.
    let tail = '';
    socket.write('220 silent.example.test\r\n');
    socket.on('data', (chunk) => {
      if (inData) {
        tail = `${tail}${chunk}`.slice(-5);
        if (tail === '\r\n.\r\n') received += 1;
        return;
      }
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        if (line.startsWith('DATA')) inData = true;
        socket.write(inData ? '354 go on\r\n' : '250 fine\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as { port: number }).port}`,
    received: () => received,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

test.runIf(process.env.PROVE)(
  'killed while the mail server has not responded: the message is not sent again, and its outcome is unknown',
  async () => {
    const silent = await startSilent();
    running = await program.start({ ...settings, SMTP_URL: silent.url });
    const { id, email } = await booked();
    await expect.poll(silent.received, { timeout: WITHIN_MS, interval: 20 }).toBe(1);
    running.kill('SIGKILL');
    await running.ended;
    await silent.stop();
    await letLeaseRunOut();
    running = await program.start(settings);
    await expect.poll(() => isSettled(id), { timeout: WITHIN_MS, interval: 100 }).toBe(true);
    expect(await confirmationOf(id)).toMatchObject({ state: 'failed', why: 'unknown' });
    expect(mailsTo(email)).toBe(0);
  },
  120_000,
);
