import { createTransport, type Transporter } from 'nodemailer';
import type { Config } from '../core/config.ts';
import type { Services } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Stamp, stampHeaders } from './inbox.ts';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  html?: string;
  replyTo?: string;
  /** An entry for the reader's calendar: mail programs offer to take it, and others show it as a file. */
  calendar?: { method: string; content: string };
  /** Beside those that every mail has. */
  headers?: Record<string, string>;
  stamp: Stamp;
};

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
      // Later than the others, so that it is known of a silence whether the server ever spoke.
      socketTimeout: providerTimeoutMs + 500,
    },
    { from },
  );
}

/** Hands one message to the mail server; rejects unless that took it. */
export async function sendMail(
  { config, providers }: Pick<Services, 'config' | 'providers'>,
  { stamp, calendar, headers, ...mail }: Mail,
): Promise<void> {
  const transport = providers.mail();
  if (!transport)
    throw refuse('integration_not_connected', 'This deployment has no mail server: set SMTP_URL.', {
      people: 'No mail can be sent from here yet. An administrator has to set it up.',
    });
  // As an object, so that nothing in an address is taken for a list, a group or a name.
  const to = { name: '', address: mail.to };
  await transport.sendMail({
    ...mail,
    to,
    ...(calendar && { icalEvent: { ...calendar, filename: 'visit.ics' } }),
    headers: { ...headers, ...stampHeaders(config, stamp) },
  });
}

/** What a log may keep of a refusal: a server's own words mostly name the address. */
export function saidBy(error: unknown): { err: string } | { code: unknown; command: unknown; responseCode: unknown } {
  const { code, command, responseCode, message } = error as Error &
    Record<'code' | 'command' | 'responseCode', unknown>;
  return responseCode === undefined ? { err: message } : { code, command, responseCode };
}
