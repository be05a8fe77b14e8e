import { MINUTE } from '#server/core/clock.ts';
import { PUBLISHED_AHEAD, rotateSigningKeys } from '#server/identity/index.ts';
import { withServices } from './command.ts';

/**
 * `npm run rotate-signing-keys`: creates the next signing key for access tokens. Sessions stay valid; run it every few
 * months.
 */
async function run(): Promise<void> {
  await withServices(async (services) => {
    const kid = await rotateSigningKeys(services);
    console.log(`Key ${kid} is published and signs in ${PUBLISHED_AHEAD / MINUTE} minutes; the old one then runs out.`);
  });
}

run().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
