import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildFolder, root } from './root.mjs';
import { UserError } from './user-error.mjs';

const HELP = `npm start -- [options]

  --port N             port of the service (or PORT); default 3000. All other ports are found free
  --host H             address it listens on (or HOST); default 127.0.0.1
  --data DIR           folder of the database, the emulators' state and the secrets; default .run
  --database-url URL   an outside PostgreSQL, as its owner: the service's own role is made there
                       (or DATABASE_URL for that role and MIGRATION_DATABASE_URL for the owner)
  --no-emulators       start no emulators: the providers' settings must be there
  --no-seed            leave the database empty
  --no-env-file        do not read .env
  --reset              start over: deletes the data folder's database, emulator state and secrets
  --dev                reload on change, logs in the terminal
  --help               this list

An emulator is also left out when its provider's settings are there: STRIPE_SECRET_KEY, ACUITY_API_URL, SMTP_URL,
TWILIO_ACCOUNT_SID. All settings, which may stand in .env, are listed in .env.example.
`;

const ENV_FILE = path.join(root, '.env');

const FLAGS = {
  port: { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
  'database-url': { type: 'string' },
  'no-emulators': { type: 'boolean', default: false },
  'no-seed': { type: 'boolean', default: false },
  'no-env-file': { type: 'boolean', default: false },
  reset: { type: 'boolean', default: false },
  dev: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

/**
 * @param {string[]} args
 * @param {Record<string, string | undefined>} env
 * @returns the launcher's options, or null when the help was printed
 */
export function readOptions(args, env) {
  const { values } = parse(args);
  if (values.help) {
    process.stdout.write(HELP);
    return null;
  }
  if (!values['no-env-file'] && existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE);
  return {
    port: readPort(values.port ?? env.PORT ?? '3000'),
    host: values.host ?? env.HOST ?? '127.0.0.1',
    data: values.data ? path.resolve(root, values.data) : buildFolder,
    databaseUrl: values['database-url'],
    emulators: !values['no-emulators'],
    seed: !values['no-seed'],
    reset: values.reset,
    dev: values.dev,
  };
}

function parse(args) {
  try {
    return parseArgs({ args, options: FLAGS });
  } catch (error) {
    throw new UserError(`${error.message.split('\n')[0]} (npm start -- --help lists the options)`);
  }
}

function readPort(text) {
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port < 65_536) return port;
  throw new UserError(`"${text}" is not a port: give a number from 1 to 65535.`);
}
