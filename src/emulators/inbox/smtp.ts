import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import type { World } from '../core/route.ts';
import { type InboxState, STAMPS, storeMessage } from './message.ts';

export interface SmtpOptions {
  /** When set, senders must authenticate; by default any credentials are accepted and none are required. */
  login?: { user: string; password: string };
}

const MAX_MAIL_BYTES = 2 * 1024 * 1024;
const MAX_RECIPIENTS = 50;
const MAX_CLIENTS = 50;
const CLOSE_TIMEOUT_MS = 100;

/** Domains that reject email, each with a different error. */
const REJECTED_DOMAINS: Record<string, [code: number, message: string]> = {
  'bounce.example.test': [550, '5.1.1 No such user here'],
  'full.example.test': [452, '4.2.2 The mailbox is full'],
  'policy.example.test': [550, '5.7.1 Refused for reasons of policy'],
};

/** Creates an SMTP server that accepts email for any recipient. No TLS, because it listens on loopback only. */
export function createSmtpServer(world: World<InboxState>, { login }: SmtpOptions): SMTPServer {
  return new SMTPServer({
    name: 'inbox.example.test',
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    authOptional: !login,
    size: MAX_MAIL_BYTES,
    maxClients: MAX_CLIENTS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onAuth({ username, password }, _session, done) {
      if (!login || (username === login.user && password === login.password)) done(null, { user: username });
      else done(smtpError(535, 'Authentication failed'));
    },
    onRcptTo({ address }, { envelope }, done) {
      const rejection = REJECTED_DOMAINS[address.toLowerCase().split('@')[1] ?? ''];
      if (rejection) return done(smtpError(...rejection));
      done(envelope.rcptTo.length < MAX_RECIPIENTS ? null : smtpError(452, 'Too many recipients'));
    },
    onData(stream, { envelope }, done) {
      const to = envelope.rcptTo.map(({ address }) => address);
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      receive(world, stream, from, to).then(() => done(null, 'Queued'), done);
    },
  });
}

async function receive(world: World<InboxState>, stream: SMTPServerDataStream, from: string, to: string[]) {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_MAIL_BYTES) chunks.push(chunk);
  }
  if (size > MAX_MAIL_BYTES) throw smtpError(552, 'The message is too large');
  if (world.state.mailsToRefuse > 0) {
    world.state.mailsToRefuse--;
    throw smtpError(451, 'Try again later');
  }
  const mail = await PostalMime.parse(Buffer.concat(chunks));
  /** Returns null for a duplicate header: at least one copy is not from the sender. */
  const stamp = (name: string) => {
    const [value, ...duplicates] = mail.headers.filter(({ key }) => key === name).map((header) => header.value.trim());
    return (duplicates.length === 0 && value) || null;
  };
  storeMessage(world.state, {
    kind: 'email',
    receivedAt: new Date(world.clock.now()).toISOString(),
    from: mail.from?.address ?? from,
    to,
    subject: mail.subject ?? '',
    text: mail.text?.trimEnd() ?? '',
    html: mail.html?.trimEnd() ?? '',
    attachments: mail.attachments.map(({ filename, mimeType, content }) => ({
      filename: filename ?? '',
      mimeType,
      bytes: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
      ...(mimeType.includes('calendar') && { text: textOf(content) }),
    })),
    tenant: stamp(STAMPS.tenant),
    staff: stamp(STAMPS.staff),
    unsubscribe: stamp('list-unsubscribe'),
  });
}

const textOf = (content: string | ArrayBuffer | Uint8Array): string =>
  typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8');

const smtpError = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });
