import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { root } from '../../launcher/root.mjs';
import { startBenchSetup } from './bench-setup.ts';
import { waitingReader } from './events/waiting-reader.ts';
import { growingData } from './growth/growing-data.ts';
import type { Job } from './job.ts';
import { fullWeek } from './pages/full-week.ts';
import { measuredPages } from './pages/measured-pages.ts';
import { queueInTransactions } from './queue/queue-in-transactions.ts';
import { readingPatients } from './reads/reading-patients.ts';
import { report } from './report.ts';
import { type Outcome, runJob } from './run-job.ts';
import { passwordSignIn } from './sign-in/password-sign-in.ts';
import { manyTenants } from './tenants/many-tenants.ts';
import { mirroredTimes } from './times/mirrored-times.ts';
import { deliverWebhooks } from './webhooks/deliver-webhooks.ts';

const JOBS: Job[] = [
  readingPatients,
  mirroredTimes,
  passwordSignIn,
  measuredPages,
  fullWeek,
  manyTenants,
  waitingReader,
  queueInTransactions,
  deliverWebhooks,
  growingData,
];
const MAX_REPEATS = 20;

const { values } = parseArgs({
  options: { repeats: { type: 'string', default: '5' }, only: { type: 'string' }, help: { type: 'boolean' } },
});
const LONG = JOBS.filter(({ onlyWhenNamed }) => onlyWhenNamed).map(({ id }) => id);
const repeats = Number(values.repeats);
const named = values.only?.split(',');
const jobs = JOBS.filter(({ id, onlyWhenNamed }) => (named ? named.includes(id) : !onlyWhenNamed));

if (values.help || jobs.length === 0 || !Number.isInteger(repeats) || repeats < 1 || repeats > MAX_REPEATS) {
  console.log(`npm run bench [-- options]
  How fast the service is, beside a peer and the limit of this machine, measured in turn in the same run.
  Starts everything itself on the loopback address; a quiet machine gives better figures than a busy one.
  Prints medians, and writes every figure to bench/results.json.
    --only ${JOBS.map(({ id }) => id).join(',')}    some of the jobs; ${LONG.join(', ')} only when named here
    --repeats N  how often each is measured, 1 to ${MAX_REPEATS}; default: 5`);
  process.exit(values.help ? 0 : 1);
}

const load = () => loadavg().map((value) => value.toFixed(2));
const atStart = load();
const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() };
const outcomes: Outcome[] = [];
const failed: string[] = [];

/** Writes all figures so far, so that a job that fails loses only its own. */
function save() {
  mkdirSync(`${root}/bench`, { recursive: true });
  const loadAverage = { atStart, atEnd: load() };
  const results = { measuredAt: new Date().toISOString(), machine, loadAverage, repeats, failed, jobs: outcomes };
  writeFileSync(`${root}/bench/results.json`, `${JSON.stringify(results, null, 2)}\n`);
}

const setup = await startBenchSetup();
try {
  for (const job of jobs) {
    try {
      outcomes.push(await runJob(job, setup, repeats, (line) => console.log(`  ${line}`)));
    } catch (error) {
      failed.push(job.id);
      console.error(`${job.id} failed:`, error);
    }
    save();
  }
} finally {
  await setup.stop();
}
for (const outcome of outcomes) console.log(report(outcome));
console.log(
  `\n${machine.cores} cores of ${machine.cpu}, Node ${machine.node}; load average ${atStart.join(' ')} at the start, ${load().join(' ')} at the end`,
);
console.log('Every figure is in bench/results.json.');
if (failed.length > 0) {
  console.log(`Failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
}
