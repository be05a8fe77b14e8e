import type { AddressInfo } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { createEmulator, type RunningEmulator } from '../core/emulator.ts';
import type { Problem, Reply } from '../core/route.ts';
import { replyRoute } from './inbound.ts';
import { emptyInbox, type InboxState } from './message.ts';
import { readRoutes } from './read-routes.ts';
import { createSmtpServer, type SmtpOptions } from './smtp.ts';
import { statusRoute, type TwilioAccount } from './status-report.ts';
import { sendMessageRoute, twilioError } from './twilio.ts';

export interface InboxEmulatorOptions {
  /** Directory where messages are stored between runs; in memory when absent. */
  dataDir?: string;
  /** 0 (the default) picks a free port. */
  smtpPort?: number;
  smtpLogin?: NonNullable<SmtpOptions['login']>;
  /** The only account that may send texts; any account when absent. */
  twilio?: TwilioAccount;
  log?(line: string): void;
}

export interface RunningInbox extends RunningEmulator<InboxState> {
  /** For example `smtp://127.0.0.1:1025`. */
  smtpUrl: string;
}

/**
 * Creates the inbox: receives email over SMTP and texts over Twilio's API, and shows both at `GET /messages` and `/`.
 *
 * - `POST /messages/{id}/reply {"text": …}` replies to a text and handles STOP and START as Twilio does.
 * - `POST /messages/{id}/status {"status": …, "error_code": …}` makes Twilio report a text's delivery status.
 * - `POST /_emulator/trigger {"name": "refuse_mail", "times": n}` makes the next emails fail temporarily (451).
 */
export function createInboxEmulator(options: InboxEmulatorOptions = {}) {
  const { dataDir, smtpPort = 0, smtpLogin, twilio, log } = options;
  const emulator = createEmulator<InboxState>({
    name: 'inbox',
    ...(dataDir && { dataDir }),
    ...(log && { log }),
    initialState: emptyInbox,
    routes: [sendMessageRoute(twilio), replyRoute(twilio), statusRoute(twilio), ...readRoutes()],
    errorShape,
    controls: {
      refuse_mail({ times = 1 }, { state }) {
        if (typeof times !== 'number' || !(times >= 0)) throw new TypeError('times must be a number from 0');
        state.mailsToRefuse = times;
        return { mailsToRefuse: times };
      },
    },
  });

  return {
    async start(port = 0, host = '127.0.0.1'): Promise<RunningInbox> {
      const running = await emulator.start(port, host);
      const smtp = createSmtpServer(running.world, smtpLogin ? { login: smtpLogin } : {});
      smtp.on('error', (error) => running.world.log(`smtp: ${error.message}`));
      try {
        await listen(smtp, smtpPort, host);
      } catch (error) {
        await running.stop();
        throw error;
      }
      return {
        ...running,
        smtpUrl: `smtp://${host}:${(smtp.server.address() as AddressInfo).port}`,
        async stop() {
          await new Promise<void>((resolve) => smtp.close(resolve));
          await running.stop();
        },
      };
    },
  };
}

function listen(smtp: SMTPServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    smtp.server.once('error', reject);
    smtp.listen(port, host, resolve);
  });
}

/** Renders the framework's problems in Twilio's error shape. */
function errorShape({ status, code, message }: Problem): Reply {
  if (code === 'unknown_path') return twilioError(20404, message);
  const number = code === 'rate_limited' ? 20429 : code === 'bad_body' ? 20001 : 20500;
  return { status, body: { code: number, message, more_info: `https://www.twilio.com/docs/errors/${number}`, status } };
}
