import { ConfigError } from '#server/core/config.ts';
import { type Services, systemContext } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { staffRoute } from '#server/identity/index.ts';
import { resetMemberTwoStep } from '#server/team/index.ts';
import { readOptions, withServices } from './command.ts';

const USAGE = `npm run reset-totp -- --email admin@example.org
  For an administrator who has lost both their authenticator app and their recovery codes, where no other admin can reset
  it on the Team page. Turns two-step sign-in off for them on the database of the settings (.env or the environment),
  signs them out and sends them an email. In production they set it up again at their next sign-in.`;

const values = readOptions({ email: { type: 'string' }, help: { type: 'boolean' } }, USAGE);

async function resetAtClinic(services: Services, tenantId: string, email: string): Promise<string | null> {
  const ctx = systemContext(services, tenantId, 'reset-totp');
  const member = await ctx.db.staffUser.findFirst({
    where: { tenantId, email, twoStep: { turnedOnAt: { not: null } } },
  });
  if (!member) return null;
  await resetMemberTwoStep(ctx, { id: member.id });
  const { name } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  return name;
}

async function run(email: string): Promise<void> {
  await withServices(async (services) => {
    await services.database.assertConfined();
    const tenants = await services.database.tenantsOf(staffRoute(email));
    const results = await Promise.all(tenants.map((tenantId) => resetAtClinic(services, tenantId, email)));
    const resetClinics = results.filter((name) => name !== null);
    if (resetClinics.length === 0) throw new Error('no staff user with this email has two-step sign-in on.');
    console.log(`Two-step sign-in of ${email} is off at ${resetClinics.join(', ')}.`);
  });
}

if (values.help || !values.email) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else {
  run(values.email.trim().toLowerCase()).catch((error: Error) => {
    const isKnown = error instanceof ConfigError || error instanceof CarelaneError;
    console.error(isKnown ? error.message : `Could not reset two-step sign-in: ${error.message}`);
    process.exitCode = 1;
  });
}
