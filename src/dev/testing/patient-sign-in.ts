import { setTimeout as pause } from 'node:timers/promises';
import { type Context, systemContext } from '#server/core/context.ts';
import { getConfigurationTokens } from '#server/identity/applications/get-configuration-tokens.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import type { Clinic } from './clinic.ts';

export type TestResponse = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the wire's shape is what the suites assert
  body: any;
};
export type InboxMessage = { kind: 'email' | 'sms'; to: string[]; subject: string; text: string; html: string };
export type SignInBench = ReturnType<typeof withSignIn>;

/** What a test of patients' sign-in needs: the worker sends the messages, and the clock can be advanced. */
export const SIGN_IN = {
  http: true,
  inbox: true,
  twilio: true,
  worker: true,
  clock: true,
  env: { MAIL_WEBHOOK_SECRET: 'whsec_c2VjcmV0IG9mIGEgbWFpbCBzZXJ2aWNl', TRUST_PROXY: '1' },
} as const;

/** Adds the requests of sign-in pages, the messages that they cause, and tenants with both apps. */
export function withSignIn(started: Clinic<'http' | 'inbox' | 'clock'>) {
  const { url, database, services, inbox, clock } = started;
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
      const response = await fetch(`${inbox.url}/messages?to=${encodeURIComponent(to)}`);
      return (await response.json()) as InboxMessage[];
    },
    /** Replies to the newest text sent to a number, as on the Inbox page. */
    async writeBack(number: string, text: string, from = '+12025550100'): Promise<TestResponse['body']> {
      const read = await fetch(`${inbox.url}/messages?kind=sms&to=${encodeURIComponent(number)}`);
      const sent = (await read.json()) as { id: string; from: string }[];
      const id = sent.find((message) => message.from === from)?.id;
      const response = await fetch(`${inbox.url}/messages/${id}/reply`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      });
      return response.json();
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
    stop: started.stop,
  };
}
