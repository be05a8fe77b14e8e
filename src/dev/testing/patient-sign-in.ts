import { setTimeout as pause } from 'node:timers/promises';
import { createInboxEmulator } from '#emulators/inbox/index.ts';
import { startWorker } from '#jobs/worker.ts';
import type { Clock } from '#server/core/clock.ts';
import { type Context, systemContext } from '#server/core/context.ts';
import { getConfigurationTokens } from '#server/identity/applications/get-configuration-tokens.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import type { ServiceOverrides } from '#server/services.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { freePort, serveHandlers } from './http-server.ts';
import { testServices } from './services.ts';

export type TestResponse = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the wire's shape is what the suites assert
  body: any;
};
export type InboxMessage = { kind: 'email' | 'sms'; to: string[]; subject: string; text: string; html: string };
export type SignInBench = Awaited<ReturnType<typeof startSignInBench>>;

/** A clock that runs in real time and can be advanced. */
export function adjustableClock(): Clock & { pass(ms: number): void } {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    pass(ms) {
      ahead += ms;
    },
  };
}

/** Starts a sandbox for patient sign-in: an HTTP server, the worker, the inbox emulator, and tenants with both apps. */
export async function startSignInBench(given: ServiceOverrides = {}) {
  const database: TestDatabase = await createTestDatabase();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const twilio = {
    sid: 'AC00000000000000000000000000000000',
    token: 'emulated-token',
    webhookUrl: `${url}/api/webhooks/twilio`,
  };
  const inbox = await createInboxEmulator({ twilio, log: () => {} }).start();
  const clock = adjustableClock();
  const env = {
    PUBLIC_URL: url,
    TWILIO_API_URL: inbox.url,
    TWILIO_ACCOUNT_SID: twilio.sid,
    TWILIO_AUTH_TOKEN: twilio.token,
    TWILIO_FROM: '+12025550100',
    TWILIO_REMINDER_FROM: '+12025550198',
    MAIL_WEBHOOK_SECRET: 'whsec_c2VjcmV0IG9mIGEgbWFpbCBzZXJ2aWNl',
    SMTP_URL: inbox.smtpUrl,
    INBOX_URL: inbox.url,
    TRUST_PROXY: '1',
  };
  const services = testServices(database, env, { clock, ...given });
  const server = await serveHandlers(services, port);
  const stopWorker = await startWorker(services);
  let sources = 0;
  const source = (): Record<string, string> =>
    sources === 0 ? {} : { 'x-forwarded-for': `198.18.${sources >> 8}.${sources & 255}` };

  async function call(
    method: string,
    path: string,
    body?: unknown,
    { token, headers, form }: { token?: string; headers?: Record<string, string>; form?: Record<string, string> } = {},
  ): Promise<TestResponse> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...source(),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form && { body: new URLSearchParams(form) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
  }

  return {
    url,
    database,
    services,
    clock,
    call,
    /** Sends later requests from an IP address without rate limit counts. */
    moveSource() {
      sources += 1;
    },
    post: (path: string, body: unknown, options?: Parameters<typeof call>[3]) =>
      call('POST', `/identity${path}`, body, options),
    refresh: (clientId: string, token: string) =>
      call('POST', '/identity/oauth2/token', undefined, {
        form: { grant_type: 'refresh_token', refresh_token: token, client_id: clientId },
      }),
    /** Creates a tenant, with the client ids of its two apps. */
    async tenant(): Promise<{ ctx: Context; passwordless: string; credentials: string }> {
      const { id } = await createTenant(services, { name: 'Riverbend Clinic', timeZone: 'America/New_York' });
      const ctx = systemContext(services, id, 'test');
      const tokens = await getConfigurationTokens(ctx);
      const clientOf = (token: string) =>
        JSON.parse(Buffer.from(token.split('_')[2]!, 'base64url').toString()).client_id as string;
      return { ctx, passwordless: clientOf(tokens.passwordless), credentials: clientOf(tokens.credentials) };
    },
    async messages(to: string): Promise<InboxMessage[]> {
      const answer = await fetch(`${inbox.url}/messages?to=${encodeURIComponent(to)}`);
      return (await answer.json()) as InboxMessage[];
    },
    /** Replies to the newest text sent to a number, as on the Inbox page. */
    async writeBack(number: string, text: string, from = '+12025550100'): Promise<TestResponse['body']> {
      const read = await fetch(`${inbox.url}/messages?kind=sms&to=${encodeURIComponent(number)}`);
      const sent = (await read.json()) as { id: string; from: string }[];
      const id = sent.find((message) => message.from === from)?.id;
      const answer = await fetch(`${inbox.url}/messages/${id}/reply`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      });
      return answer.json();
    },
    /** Waits until the queue is empty, so that all messages have been sent. */
    async settled(): Promise<void> {
      for (let round = 0; round < 500; round++) {
        // Notifies one worker of the remaining jobs, so that they run in order without waiting for its next poll.
        const [row] = await services.database.system.$queryRaw<{ left: bigint }[]>`
          select count(*) as left,
            case when count(*) > 0 and ${round % 10} = 0 then pg_notify('jobs:insert', '{"count":1}')::text end
          from graphile_worker.jobs`;
        if (row?.left === 0n) return;
        await pause(20);
      }
      throw new Error('the queue did not become empty');
    },
    /** Returns the newest code sent to the address; notices without a code may have arrived later. */
    async codeFor(to: string): Promise<string> {
      await this.settled();
      const codes = (await this.messages(to)).map(({ text }) => text.match(/\b(?:\d{6}|\d{10})\b/)?.[0]);
      const code = codes.find(Boolean);
      if (!code) throw new Error(`no code reached ${to}: ${JSON.stringify(await this.messages(to))}`);
      return code;
    },
    async stop() {
      await stopWorker();
      await server.stop();
      await inbox.stop();
      await services.close();
      await database.drop();
    },
  };
}
