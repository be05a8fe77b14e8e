import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { type SendingBench, withMessages } from '#dev/testing/sending.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true }));
});
afterAll(() => bench?.stop());

/** An address without a listener. */
const UNREACHABLE = 'smtp://127.0.0.1:9';

type Script = (line: string) => string | null;
/** A mail server that responds to each line as the script says; null: no response. */
async function startServer(script: Script): Promise<{ url: string; stop: () => Promise<void> }> {
  const sockets = new Set<import('node:net').Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    const respond = (line: string) => {
      const reply = script(line);
      if (reply !== null) socket.write(`${reply}\r\n`);
    };
    respond('');
    let inData = false;
    socket.on('data', (chunk) => {
      if (inData && chunk.toString().endsWith('\r\n.\r\n')) {
        inData = false;
        return respond('.');
      }
      if (inData) return;
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        inData ||= line.startsWith('DATA') && (script('DATA') ?? '').startsWith('354');
        respond(line);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as { port: number }).port}`,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
const good: Script = (line) => (line === '' ? '220 hi' : line.startsWith('DATA') ? '354 go on' : '250 fine');

/** Sends one confirmation through the server; the returned function reads its row. */
async function sentBy(script: Script | null) {
  const server = script && (await startServer(script));
  const { appointment } = await bench.booked();
  await bench.runPlans();
  const isSilent = ['', '.'].some((line) => script?.(line) === null);
  await bench.sendBy(server?.url ?? UNREACHABLE, isSilent ? { timeoutMs: 500 } : {});
  await server?.stop();
  return async () => (await bench.rowsOf(appointment.id)).find(({ kind }) => kind === 'confirmation')!;
}

/** Removes the messages that other tests left. */
async function onlyOne(id: string, data: { tries: number }): Promise<void> {
  const { db } = bench.clinic.ctx;
  await db.visitMessage.deleteMany({ where: { id: { not: id } } });
  await db.visitMessage.updateMany({ where: { id }, data });
}

describe('a mail server', () => {
  const sets: [string, Script | null, string, string | null][] = [
    ['that defers is retried later', (l) => (l.startsWith('RCPT') ? '451 later' : good(l)), 'planned', null],
    ['that defers after the message is retried later', (l) => (l === '.' ? '452 full' : good(l)), 'planned', null],
    ['that does not exist is retried later', null, 'planned', null],
    ['that sends no greeting is retried later', () => null, 'planned', null],
    [
      'that rejects the password is retried later',
      (l) => (l.startsWith('MAIL') ? '530 who?' : good(l)),
      'planned',
      null,
    ],
    [
      'that rejects the address is not retried',
      (l) => (l.startsWith('RCPT') ? '550 no such user' : good(l)),
      'failed',
      'refused',
    ],
    ['that rejects the message is not retried', (l) => (l === '.' ? '554 no' : good(l)), 'failed', 'refused'],
    [
      'that does not respond to the message leaves an unknown outcome',
      (l) => (l === '.' ? null : good(l)),
      'failed',
      'unknown',
    ],
  ];
  test.each(sets)('%s', async (_, script, state, why) => {
    const row = await (await sentBy(script))();
    expect(row).toMatchObject({ state, why, tries: 1 });
    if (state === 'planned') expect(row.dueAt.getTime()).toBeGreaterThan(Date.now() + MINUTE / 2);
  });

  test('that was unreachable for a day is retried hourly', async () => {
    const rowOf = await sentBy(null);
    await onlyOne((await rowOf()).id, { tries: 29 });
    const when = new Date(Date.now() + 2 * MINUTE);
    await bench.sendBy(UNREACHABLE, { when });
    expect(await rowOf()).toMatchObject({ state: 'planned', tries: 30, dueAt: new Date(when.getTime() + HOUR) });
  });

  test('that is unreachable for days is given up with an event', async () => {
    const rowOf = await sentBy(null);
    await onlyOne((await rowOf()).id, { tries: 53 });
    await bench.sendBy(UNREACHABLE, { when: new Date(Date.now() + 2 * MINUTE) });
    const row = await rowOf();
    expect(row).toMatchObject({ state: 'failed', why: 'away' });
    const event = await bench.clinic.ctx.db.event.findFirstOrThrow({ where: { objectId: row.id } });
    expect(event.eventTopic).toBe('failed');
  });

  test('that names the address in its error: the log does not contain it', async () => {
    const warn = vi.spyOn(bench.clinic.services.log, 'warn');
    await sentBy((line) => (line.startsWith('RCPT') ? `550 unknown: ${line.slice('RCPT TO:'.length)}` : good(line)));
    const logged = JSON.stringify(warn.mock.calls);
    warn.mockRestore();
    expect(logged).toContain('a message was not sent');
    expect(logged).not.toContain('@example.test');
  });

  test('that recovers gets the waiting message once', async () => {
    const rowOf = await sentBy((line) => (line.startsWith('RCPT') ? '451 later' : good(line)));
    const row = await rowOf();
    await bench.send(new Date(row.dueAt.getTime() + MINUTE));
    expect(await rowOf()).toMatchObject({ state: 'sent', tries: 2 });
  });
});
