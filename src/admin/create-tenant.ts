import { passwordError } from '#sdk/protocol/password-rules.ts';
import { ConfigError } from '#server/core/config.ts';
import { systemContext } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { readableCode } from '#server/core/ids.ts';
import { createStaffUser, createTenant } from '#server/identity/index.ts';
import { readOptions, withServices } from './command.ts';

const USAGE = `npm run create-tenant -- --name "Riverbend Clinic" --email admin@example.org [--time-zone America/New_York] [--admin-name "…"]
  Sets up a clinic and its first administrator on the database of the settings (.env or the environment), and prints
  the administrator's password once.`;

const values = readOptions(
  {
    name: { type: 'string' },
    email: { type: 'string' },
    'admin-name': { type: 'string' },
    'time-zone': { type: 'string', default: 'America/New_York' },
    help: { type: 'boolean' },
  },
  USAGE,
);

async function run(name: string, email: string): Promise<void> {
  await withServices(async (services) => {
    await services.database.assertConfined();
    const [existingTenant] = await services.database.tenantsOf(`staff:${email.toLowerCase()}`);
    if (existingTenant) throw new Error('A staff user with this email exists already; choose another.');
    const tenant = await createTenant(services, { name, timeZone: values['time-zone'] });
    const password = newPassword(email);
    const ctx = systemContext(services, tenant.id, 'create-tenant');
    await createStaffUser(ctx, { email, name: values['admin-name'] ?? 'Administrator', role: 'admin', password });
    console.log(
      `${name} is set up (${tenant.id}).\nSign in at ${services.config.publicUrl} as ${email}\nPassword: ${password}`,
    );
  });
}

/** The random password may contain a short name from the email address, which the password policy rejects. */
function newPassword(email: string): string {
  const password = readableCode(5);
  return passwordError(password, email) ? newPassword(email) : password;
}

if (values.help || !values.name || !values.email) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else {
  run(values.name, values.email).catch((error: Error) => {
    const isKnown = error instanceof ConfigError || error instanceof CarelaneError;
    console.error(isKnown ? error.message : `Could not set up the clinic: ${error.message}`);
    process.exitCode = 1;
  });
}
