import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '#server/core/context.ts';
import { sendMessage } from '#server/messages/send-message.ts';

/** Timestamps in ms; `atOnce`: how often a delivery began while another was in progress. */
export type DeliveryRecord = { begun: number[]; done: number; cutAt: number[]; atOnce: number };

/** Starts a Twilio stand-in that delays each message and detects concurrent deliveries. */
export async function startFakeTwilio() {
  const deliveries = new Map<string, DeliveryRecord>();
  let codes = 0;
  let delay = () => 0;
  const server = createServer((request, response) => {
    let form = '';
    request.on('data', (chunk) => {
      form += chunk;
    });
    request.on('end', () => void respond(response, new URLSearchParams(form).get('Body')!.slice(0, 6)));
  });
  async function respond(response: ServerResponse, code: string): Promise<void> {
    const entry = deliveries.get(code) ?? { begun: [], done: 0, cutAt: [], atOnce: 0 };
    deliveries.set(code, entry);
    if (entry.begun.length > entry.done + entry.cutAt.length) entry.atOnce += 1;
    entry.begun.push(Date.now());
    let open = true;
    response.once('close', () => {
      if (open) entry.cutAt.push(Date.now());
      open = false;
    });
    await pause(delay());
    if (!open) return;
    open = false;
    entry.done += 1;
    response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    settings: {
      TWILIO_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000000',
      TWILIO_AUTH_TOKEN: 'emulated-token',
      TWILIO_FROM: '+12025550100',
    },
    /** The deliveries of each message, by its code. */
    deliveries,
    /** Queues a message with its own code, which is valid for an hour. */
    async send(ctx: Context): Promise<string> {
      codes += 1;
      const code = String(100_000 + codes);
      const until = new Date(Date.now() + 3_600_000).toISOString();
      await sendMessage(ctx.db, ctx, { kind: 'sign_in_code', to: '+12025550143', code, until });
      return code;
    },
    /** Sets the delay of the next messages. */
    takes(ms: () => number) {
      delay = ms;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
