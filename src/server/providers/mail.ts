import { createTransport, type Transporter } from 'nodemailer';
import type { Config } from '../core/config.ts';
import type { Services } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { type Stamp, stampHeaders } from './inbox.ts';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  html?: string;
  replyTo?: string;
  /** A calendar entry: mail programs offer to add it, or show it as a file. */
  calendar?: { method: string; content: string };
  /** In addition to those of every email. */
  headers?: Record<string, string>;
  stamp: Stamp;
};

/**
 * Creates the SMTP transport: `smtp://` (with STARTTLS, optional if the settings allow it) or `smtps://`, with
 * credentials if the URL has them.
 */
export function createMailTransport(
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
      // Later than the other timeouts, so that the error shows whether the server ever responded.
      socketTimeout: providerTimeoutMs + 500,
    },
    { from },
  );
}

/** Hands one email to the mail server; rejects if the server does not accept it. */
export async function sendMail(
  { config, providers }: Pick<Services, 'config' | 'providers'>,
  { stamp, calendar, headers, ...mail }: Mail,
): Promise<void> {
  const transport = providers.mail();
  if (!transport)
    throw apiError('integration_not_connected', 'This deployment has no email server: set SMTP_URL.', {
      people: 'No email can be sent from here yet. An administrator has to set it up.',
    });
  // As an object, so that an address is not parsed as a list, a group or a name.
  const to = { name: '', address: mail.to };
  await transport.sendMail({
    ...mail,
    to,
    ...(calendar && { icalEvent: { ...calendar, filename: 'appointment.ics' } }),
    headers: { ...headers, ...stampHeaders(config, stamp) },
  });
}

/** Returns the loggable part of an SMTP error: a server's own text often contains the address. */
export function loggableSmtpError(
  error: unknown,
): { err: string } | { code: unknown; command: unknown; responseCode: unknown } {
  const { code, command, responseCode, message } = error as Error &
    Record<'code' | 'command' | 'responseCode', unknown>;
  return responseCode === undefined ? { err: message } : { code, command, responseCode };
}
