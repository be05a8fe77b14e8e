import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'prisma/config';

const envFile = path.join(import.meta.dirname, '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile); // does not override existing variables

// Avoids the engine download: Migrate uses the WebAssembly build of the same engine (see that file).
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= path.join(import.meta.dirname, 'src/admin/schema-engine.mjs');
process.env.CHECKPOINT_DISABLE ??= '1';

// Migrations run as the database's owner, because the service's role may not change tables.
const url = process.env.MIGRATION_DATABASE_URL ?? process.env.DATABASE_URL;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url && { datasource: { url } }),
});
