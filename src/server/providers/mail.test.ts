import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, test } from 'vitest';
import { testServices } from '#dev/testing/services.ts';
import type { Services } from '#server/core/context.ts';
import { sendMail } from './mail.ts';

type Received = { to: string[]; header: string; encrypted: boolean };
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A mail server that stores the emails that it gets. With STARTTLS it has a self-signed certificate. */
async function startServer(options: { startTls: boolean }) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: options.startTls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    onData(stream, { envelope, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const [header = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
        received.push({ to: envelope.rcptTo.map(({ address }) => address), header, encrypted: secure });
        done();
      });
    },
  });
  // A client that disconnects during the TLS handshake.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  stops.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, received };
}

function servicesFor(url: string, env: Record<string, string> = {}): Services {
  const services = testServices({ url: 'postgresql://unused@localhost/nothing' }, { SMTP_URL: url, ...env });
  stops.push(() => services.close());
  return services;
}
const content = {
  subject: 'Hello',
  text: 'Hello.',
  stamp: { tenantId: '01936f3a-5c1e-7b42-9d08-3f6a2c81e704' },
};

describe('sendMail', () => {
  test('sends to exactly one address, for any text of the address', async () => {
    const server = await startServer({ startTls: false });
    const services = servicesFor(server.url, { MAIL_FROM: '"Care, Inc." <care@example.test>' });
    await sendMail(services, { to: 'ada@example.test', ...content });
    for (const to of [
      '"unknown@elsewhere.example.test x"@example.test',
      'unknown@elsewhere.example.test,ada@example.test',
      'Ada <unknown@elsewhere.example.test>',
      'group: unknown@elsewhere.example.test;',
    ])
      await sendMail(services, { to, ...content }).catch(() => null);
    expect(server.received[0]).toMatchObject({
      to: ['ada@example.test'],
      header: expect.stringContaining('From: "Care, Inc." <care@example.test>'),
    });
    expect(server.received.flatMap(({ to }) => to).filter((to) => to === 'unknown@elsewhere.example.test')).toEqual([]);
  });

  test('takes no time for an address with nested groups', async () => {
    const server = await startServer({ startTls: false });
    const to = `${'g: '.repeat(20_000)}ada@example.test`;
    const before = performance.now();
    await sendMail(servicesFor(server.url), { to, ...content }).catch(() => null);
    if (process.env.PROVE) expect(performance.now() - before).toBeLessThan(1000);
  });

  test('sends nothing to a server without STARTTLS where it is required', async () => {
    const server = await startServer({ startTls: false });
    await expect(
      sendMail(servicesFor(server.url, { SMTP_TLS: 'require' }), { to: 'ada@example.test', ...content }),
    ).rejects.toThrow(/STARTTLS/i);
    expect(server.received).toEqual([]);
    await sendMail(servicesFor(server.url, { SMTP_TLS: 'off' }), { to: 'ada@example.test', ...content });
    expect(server.received).toHaveLength(1);
  });

  test('sends nothing to a server without a trusted certificate', async () => {
    const server = await startServer({ startTls: true });
    await expect(
      sendMail(servicesFor(server.url, { SMTP_TLS: 'require' }), { to: 'ada@example.test', ...content }),
    ).rejects.toThrow(/certificate/i);
    expect(server.received).toEqual([]);
  });
});
