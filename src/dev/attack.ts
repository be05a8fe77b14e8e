import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeClinicOn } from '#dev/attacks/make-clinic.ts';
import { readSandboxCard } from '#dev/attacks/read-sandbox-card.ts';
import { runAttacks } from '#dev/attacks/run-attacks.ts';
import { openTarget } from '#dev/attacks/target.ts';
import { SEED } from '#dev/testing/seed.ts';

const CARD = '.run/card.json';
const USAGE = `npm run attack [-- options]
  Runs attacks over the network on the sandbox that npm start serves (CARELANE_CARD names another card), and prints a
  line for each: held, or FAILED and what happened. It creates two clinics of its own and touches no other clinic.
    --long           more rounds and more orders, and a limit on the time of each response
    --seed N         seed of the random requests and orders
    --only WORDS     runs the attacks whose line contains this text
    --result FILE    the counts and what failed, as JSON`;

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(SEED) },
    result: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Attacks use their own IP addresses, so that the service's rate limits count them separately. */
async function requireLoopbackNetwork(): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => reject(new Error('Attacks need many loopback addresses, as Linux has: 127.0.0.0/8.')));
    server.listen(0, '127.77.0.1', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

async function attack(): Promise<void> {
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed takes an integer, not ${values.seed}.`);
  const file = path.resolve(process.env.CARELANE_CARD ?? CARD);
  const card = readSandboxCard(file);
  await requireLoopbackNetwork();
  const folder = path.dirname(file);
  const secrets = JSON.parse(readFileSync(path.join(folder, 'secrets.json'), 'utf8'));
  const makeClinic = makeClinicOn(folder, card);
  const begun = performance.now();
  const target = await openTarget({ card, secrets, makeClinic, isLong: values.long, seed });
  const { held, failures } = await runAttacks(target, values.only);
  const failed = failures.length;
  console.log(`\n(${((performance.now() - begun) / 1000).toFixed(1)} s)\n${held} held, ${failed} failed`);
  if (values.result) writeFileSync(values.result, JSON.stringify({ passed: held, failed, failures }));
  process.exitCode = failed === 0 && held > 0 ? 0 : 1;
}

if (values.help) console.log(USAGE);
else
  await attack().catch((error: Error) => {
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  });
