import { parseArgs } from 'node:util';
import { CliError, EXIT } from './cli-error.ts';
import type { Env } from './screen.ts';

const TYPE = /^[a-z_]{1,40}(\.[a-z_]{1,40})?$/;

export const USAGE = `carelane: the events of a Carelane clinic, from a terminal

  carelane listen --forward-to http://localhost:4000/hooks
      posts each event to a receiver of yours, as webhooks come: same body, same headers, signed
  carelane events
      lists what happened, oldest first

Where, and who you are
  --url URL                  the service (CARELANE_URL; http://localhost:3000 unless said)
  --client-id ID             an application of the clinic with the scope events:read (CARELANE_CLIENT_ID)
  --client-secret-file FILE  its secret; or in CARELANE_CLIENT_SECRET, or typed when asked

Which events
  --type NAMES               appointment, or appointment.scheduled; several with commas
  --object ID, --patient ID  the resource, or the patient, that they are about
  --after SEQUENCE           what follows it. listen and --follow begin with what comes from now on,
                             events with the oldest that is held

listen
  --forward-to URL           your receiver
  --payload thin|snapshot    ids and names (thin, as endpoints have it unless chosen otherwise), or the resource too
  --secret-file FILE         what signs; written there if there is no such file. A new one each time unless said

events
  --follow                   goes on with what comes
  --limit N                  so many at most

  --json                     one line of JSON an event
  --help, --version

Exit codes: 0 done or ended by you, 1 failed, 2 not understood, 3 not allowed, 4 the events asked for are no longer held.
No colours without a terminal, nor with NO_COLOR.`;

const OPTIONS = {
  url: { type: 'string' },
  'client-id': { type: 'string' },
  'client-secret-file': { type: 'string' },
  type: { type: 'string', multiple: true },
  object: { type: 'string' },
  patient: { type: 'string' },
  after: { type: 'string' },
  'forward-to': { type: 'string' },
  payload: { type: 'string' },
  'secret-file': { type: 'string' },
  follow: { type: 'boolean' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  // Known only to explain why they are not accepted.
  'client-secret': { type: 'string' },
  secret: { type: 'string' },
} as const;
/** Options that belong to one command only. */
const ONLY: Record<string, string> = {
  'forward-to': 'listen',
  payload: 'listen',
  'secret-file': 'listen',
  follow: 'events',
  limit: 'events',
};

export type EventFilter = {
  /** `appointment`, or `appointment.scheduled`; empty for all. */
  names: string[];
  object?: string | undefined;
  patient?: string | undefined;
  after: number | null;
};
export type Command = { which: EventFilter; json: boolean; url: URL; clientId?: string; secretFile?: string } & (
  | { command: 'listen'; forwardTo: URL; payload: 'thin' | 'snapshot'; signingFile?: string }
  | { command: 'events'; follow: boolean; limit: number }
);

const misused = (message: string) => new CliError(`${message}\ncarelane --help says more.`, EXIT.misused);

/**
 * Parses the arguments.
 * @returns the command, or a request for help or the version
 */
export function readOptions(args: string[], env: Env): Command | 'help' | 'version' {
  const { values, positionals } = parse(args);
  if (values.version) return 'version';
  if (values.help || (positionals.length === 0 && args.length === 0)) return 'help';
  if (values['client-secret'] !== undefined || values.secret !== undefined)
    throw misused(
      'A secret in the command shows to everybody on this machine who lists its processes. Put it in a file (--client-secret-file, --secret-file) or in CARELANE_CLIENT_SECRET.',
    );
  const [command, ...more] = positionals;
  if ((command !== 'listen' && command !== 'events') || more.length > 0)
    throw misused(command ? `There is no command “${positionals.join(' ')}”.` : 'Which command? listen, or events.');
  const foreign = Object.keys(values).find((name) => ONLY[name] && ONLY[name] !== command);
  if (foreign) throw misused(`--${foreign} belongs to carelane ${ONLY[foreign]}.`);
  const clientId = values['client-id'] ?? env.CARELANE_CLIENT_ID;
  const secretFile = values['client-secret-file'];
  const shared = {
    url: readService(values.url ?? (env.CARELANE_URL || 'http://localhost:3000')),
    json: values.json ?? false,
    ...(clientId && { clientId }),
    ...(secretFile && { secretFile }),
    which: {
      names: readNames(values.type ?? []),
      object: values.object,
      patient: values.patient,
      after: values.after === undefined ? null : readCount('--after', values.after, 0),
    },
  };
  if (command === 'events') {
    const limit = values.limit === undefined ? Number.POSITIVE_INFINITY : readCount('--limit', values.limit, 1);
    return { ...shared, command, follow: values.follow ?? false, limit };
  }
  if (values['forward-to'] === undefined) throw misused('Where to? --forward-to http://localhost:4000/hooks');
  const payload = values.payload ?? 'thin';
  if (payload !== 'thin' && payload !== 'snapshot') throw misused('--payload is thin or snapshot.');
  const signingFile = values['secret-file'];
  const forwardTo = readAddress('--forward-to', values['forward-to']);
  return { ...shared, command, forwardTo, payload, ...(signingFile && { signingFile }) };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw misused((error as Error).message.split('. To specify', 1).join());
  }
}

function readNames(given: string[]): string[] {
  const names = given.flatMap((list) => list.split(',')).map((name) => name.trim().toLowerCase());
  const wrong = names.find((name) => !TYPE.test(name));
  if (wrong !== undefined) throw misused(`“${wrong}” is no type of event: appointment, or appointment.scheduled.`);
  return names;
}

function readCount(option: string, value: string, least: number): number {
  if (!/^\d{1,15}$/.test(value) || Number(value) < least) throw misused(`${option} is a number of ${least} or more.`);
  return Number(value);
}

function readAddress(option: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw misused(`${option} is an address that begins with http or https.`);
  if (url.username || url.password) throw misused(`${option} holds a name or password, which fetch does not send.`);
  return url;
}

/**
 * Accepts the URL also with /api/v1, as shown in the portal. Plain http is only allowed to this machine, because of the
 * secret.
 */
function readService(value: string): URL {
  const url = readAddress('--url', value);
  url.pathname = url.pathname.replace(/\/(api\/v1\/?)?$/, '');
  url.search = '';
  url.hash = '';
  if (url.protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    throw misused(
      '--url must begin with https, unless the service runs on this machine: the secret would be readable.',
    );
  return url;
}
