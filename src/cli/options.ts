import { parseArgs } from 'node:util';
import { CliError, EXIT } from './cli-error.ts';
import type { Env } from './screen.ts';

const EVENT_TYPE = /^[a-z_]{1,40}(\.[a-z_]{1,40})?$/;

export const USAGE = `carelane: read the events of a Carelane clinic from a terminal

  carelane listen --forward-to http://localhost:4000/hooks
      posts each event to your receiver in the format of webhooks, signed
  carelane events
      lists events, oldest first

Connection
  --url URL                  the service (default: CARELANE_URL, or http://localhost:3000)
  --client-id ID             an application of the clinic with the scope events:read (default: CARELANE_CLIENT_ID)
  --client-secret-file FILE  a file with its secret (default: CARELANE_CLIENT_SECRET, or a prompt)

Selection
  --type NAMES               appointment or appointment.scheduled; separate several by commas
  --object ID, --patient ID  events of one resource, or of one patient
  --after SEQUENCE           events after this one; by default, listen and --follow start with new events,
                             and events starts with the oldest stored one

listen
  --forward-to URL           your receiver
  --payload thin|snapshot    ids and names only (thin, the default), or also the resource
  --secret-file FILE         the signing secret; the file is created if it does not exist (default: a new secret)

events
  --follow                   continue with new events
  --limit N                  print at most N events

  --json                     print one line of JSON for each event
  --help, --version

Exit codes: 0 success, or ended by you; 1 failure; 2 invalid command; 3 not allowed; 4 the events are no longer stored.
Colors appear only on a terminal, and never with NO_COLOR.`;

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
const COMMAND_OF_OPTION: Record<string, string> = {
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
export type Command = { filter: EventFilter; json: boolean; url: URL; clientId?: string; secretFile?: string } & (
  | { command: 'listen'; forwardTo: URL; payload: 'thin' | 'snapshot'; signingFile?: string }
  | { command: 'events'; follow: boolean; limit: number }
);

const misused = (message: string) => new CliError(`${message}\nSee carelane --help.`, EXIT.misused);

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
      'Other users of this machine can see a secret in the arguments of a process. Put it in a file (--client-secret-file, --secret-file) or in CARELANE_CLIENT_SECRET.',
    );
  const [command, ...rest] = positionals;
  if ((command !== 'listen' && command !== 'events') || rest.length > 0)
    throw misused(command ? `Unknown command “${positionals.join(' ')}”.` : 'Command missing: listen or events.');
  const misplaced = Object.keys(values).find((name) => COMMAND_OF_OPTION[name] && COMMAND_OF_OPTION[name] !== command);
  if (misplaced) throw misused(`--${misplaced} is an option of carelane ${COMMAND_OF_OPTION[misplaced]}.`);
  const clientId = values['client-id'] ?? env.CARELANE_CLIENT_ID;
  const secretFile = values['client-secret-file'];
  const shared = {
    url: readService(values.url ?? (env.CARELANE_URL || 'http://localhost:3000')),
    json: values.json ?? false,
    ...(clientId && { clientId }),
    ...(secretFile && { secretFile }),
    filter: {
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
  if (values['forward-to'] === undefined)
    throw misused('--forward-to is required, for example --forward-to http://localhost:4000/hooks.');
  const payload = values.payload ?? 'thin';
  if (payload !== 'thin' && payload !== 'snapshot') throw misused('--payload must be thin or snapshot.');
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

function readNames(values: string[]): string[] {
  const names = values.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase());
  const invalid = names.find((name) => !EVENT_TYPE.test(name));
  if (invalid !== undefined)
    throw misused(`“${invalid}” is not an event type, such as appointment or appointment.scheduled.`);
  return names;
}

function readCount(option: string, value: string, minimum: number): number {
  if (!/^\d{1,15}$/.test(value) || Number(value) < minimum)
    throw misused(`${option} must be a number of at least ${minimum}.`);
  return Number(value);
}

function readAddress(option: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw misused(`${option} must be a URL that begins with http or https.`);
  if (url.username || url.password) throw misused(`${option} must not contain a user name or password.`);
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
      '--url must begin with https, unless the service runs on this machine, because the secret would be sent unencrypted.',
    );
  return url;
}
