import { existsSync } from 'node:fs';
import { MINUTE } from '#server/core/clock.ts';
import { readConfig } from '#server/core/config.ts';
import { PUBLISHED_AHEAD, rotateSigningKeys } from '#server/identity/tokens/rotate-signing-keys.ts';
import { createServices } from '#server/services.ts';

/**
 * `npm run rotate-signing-keys`: creates the next signing key for access tokens. Sessions stay valid; run it every few
 * months.
 */
async function run(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const services = createServices(readConfig(process.env));
  try {
    const kid = await rotateSigningKeys(services);
    console.log(`Key ${kid} is published and signs in ${PUBLISHED_AHEAD / MINUTE} minutes; the old one then runs out.`);
  } finally {
    await services.close();
  }
}

run().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
