import { createTransport, type Transporter } from 'nodemailer';
import type { Config } from '../core/config.ts';
import type { Services } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Stamp, stampHeaders } from './inbox.ts';

export type Mail = { to: string; subject: string; text: string; html?: string; replyTo?: string; stamp: Stamp };

/** `smtp://` (with STARTTLS, which a server may leave out where the settings allow it) or `smtps://`, with name and password where it needs them. */
export function openTransport(
  { providerTimeoutMs }: Config,
  { smtpUrl, requireTls, from }: NonNullable<Config['mail']>,
): Transporter {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  return createTransport(
    {
      host: hostname,
      port: port ? Number(port) : secure ? 465 : 587,
      secure,
      requireTLS: requireTls,
      ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
      connectionTimeout: providerTimeoutMs,
      greetingTimeout: providerTimeoutMs,
      socketTimeout: providerTimeoutMs,
    },
    { from },
  );
}

/** Hands one message to the mail server; rejects unless that took it. */
export async function sendMail(
  { config, kept }: Pick<Services, 'config' | 'kept'>,
  { stamp, ...mail }: Mail,
): Promise<void> {
  const transport = kept.providers.mail();
  if (!transport)
    throw refuse('integration_not_connected', 'This deployment has no mail server: set SMTP_URL.', {
      people: 'No mail can be sent from here yet. An administrator has to set it up.',
    });
  // As an object, so that nothing in an address is taken for a list, a group or a name.
  const to = { name: '', address: mail.to };
  await transport.sendMail({ ...mail, to, headers: stampHeaders(config, stamp) });
}
