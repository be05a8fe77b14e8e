import { createTransport, type Transporter } from 'nodemailer';
import type { Config } from '../core/config.ts';
import { refuse } from '../core/errors.ts';
import { type Stamp, stampHeaders } from './inbox.ts';

export type Mail = { to: string; subject: string; text: string; html?: string; stamp: Stamp };

const transports = new WeakMap<Config, Transporter>();

/** `smtp://` (with STARTTLS, which a server may leave out where the settings allow it) or `smtps://`, with name and password where it needs them. */
function transportOf(config: Config): Transporter {
  if (!config.mail) throw refuse('integration_not_connected', 'This deployment has no mail server: set SMTP_URL.');
  let transport = transports.get(config);
  if (!transport) {
    const { protocol, hostname, port, username, password } = new URL(config.mail.smtpUrl);
    const secure = protocol === 'smtps:';
    transport = createTransport(
      {
        host: hostname,
        port: port ? Number(port) : secure ? 465 : 587,
        secure,
        requireTLS: config.mail.requireTls,
        ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
        connectionTimeout: config.providerTimeoutMs,
        greetingTimeout: config.providerTimeoutMs,
        socketTimeout: config.providerTimeoutMs,
      },
      { from: config.mail.from },
    );
    transports.set(config, transport);
  }
  return transport;
}

/** Hands one message to the mail server; rejects unless that took it. */
export async function sendMail(config: Config, { stamp, ...mail }: Mail): Promise<void> {
  // As an object, so that nothing in an address is taken for a list, a group or a name.
  const to = { name: '', address: mail.to };
  await transportOf(config).sendMail({ ...mail, to, headers: stampHeaders(config, stamp) });
}
