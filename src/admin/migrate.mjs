// `npm run migrate`: migrates an external database, for deployments whose service must not have the owner's password.
// Reads MIGRATION_DATABASE_URL (the owner) and DATABASE_URL (the service's role, created if missing). With --again it
// applies every file of `prisma/sql`, including those already applied: for a policy, trigger or function that was
// dropped manually.
import '../launcher/require-node.mjs';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { migrateDatabase } from '../launcher/postgres/migrate-database.mjs';
import { prepareDatabase } from '../launcher/postgres/prepare-database.mjs';
import { readRelease } from '../launcher/postgres/read-release.mjs';
import { root } from '../launcher/root.mjs';
import { UserError } from '../launcher/user-error.mjs';
import { databaseTlsFaults } from '../server/core/database-tls.mjs';

const envFile = path.join(root, '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile);
const { MIGRATION_DATABASE_URL: ownerUrl, DATABASE_URL: serviceUrl } = process.env;
if (!ownerUrl || !serviceUrl) {
  console.error('MIGRATION_DATABASE_URL (the owner) and DATABASE_URL (the service) must be set.');
  process.exit(1);
}
const faults = databaseTlsFaults(process.env, { MIGRATION_DATABASE_URL: ownerUrl, DATABASE_URL: serviceUrl });
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
const args = process.argv.slice(2);
if (args.some((arg) => arg !== '--again')) {
  console.error('npm run migrate [-- --again]');
  process.exit(1);
}
try {
  await prepareDatabase({ ownerUrl, serviceUrl });
  const changed = await migrateDatabase({ ownerUrl, serviceUrl }, readRelease(), { again: args.length > 0 });
  console.log(changed ? 'Migrated.' : 'Nothing to do.');
} catch (error) {
  const isForOperator = error instanceof UserError;
  console.error(isForOperator ? error.message : `The database was not migrated: ${error.message || error.code}`);
  process.exitCode = 1;
}
