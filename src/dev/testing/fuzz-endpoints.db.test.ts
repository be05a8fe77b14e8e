import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { arbitraryEndpointRequest } from './arbitrary-endpoint-request.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { ENDPOINT_ROWS } from './endpoint-rows.ts';
import { createEndpointSetup, type EndpointSetup, type Sessions } from './endpoint-setup.ts';
import { SEED } from './seed.ts';
import { type RawRequest, rawClient } from './send-raw.ts';

const numRuns = Number(process.env.FUZZ_RUNS ?? 1);
const SLOW_MS = 2000;
const MOST_BYTES_OF_A_REFUSAL = 16_000;

let clinic: Sandbox;
let setup: EndpointSetup;
let client: ReturnType<typeof rawClient>;
const totals = { requests: 0, slowestMs: 0, largestError: 0 };
const seen = new Map<string, Map<number, number>>();

beforeAll(async () => {
  clinic = await withClinic({ ...SANDBOX, env: { TRUST_PROXY: '1' } });
  client = rawClient(clinic.url);
  setup = await createEndpointSetup(clinic);
  console.info(`fuzz: SEED=${SEED} FUZZ_RUNS=${numRuns}`);
});
afterAll(async () => {
  for (const [name, statuses] of seen)
    console.info(`fuzz: ${name}: ${[...statuses].map(([status, n]) => `${status}×${n}`).join(' ')}`);
  console.info(`fuzz: ${JSON.stringify(totals)}`);
  client?.close();
  await clinic?.stop();
});

async function sendAndCheck(request: RawRequest): Promise<number> {
  const begun = performance.now();
  const { status, bytes, text } = await client.send(request);
  const ms = performance.now() - begun;
  totals.requests += 1;
  expect(status, text.slice(0, 600)).toBeLessThan(500);
  if (status >= 400) {
    totals.largestError = Math.max(totals.largestError, bytes);
    expect(bytes, text.slice(0, 600)).toBeLessThan(MOST_BYTES_OF_A_REFUSAL);
  }
  // A request that is slow itself is slow again; a request that a busy machine delayed is not.
  if (!process.env.PROVE || ms <= SLOW_MS) totals.slowestMs = Math.max(totals.slowestMs, Math.round(ms));
  else {
    const startedAgainAt = performance.now();
    await client.send(request);
    expect(performance.now() - startedAgainAt).toBeLessThan(SLOW_MS);
  }
  return status;
}

let shared: { sessions: Sessions; staffId: string; patientId: string } | undefined;
/** With `PROVE` signs in for each endpoint; the short form does so only after a request has ended a session. */
async function sessionsForNext(): Promise<Sessions> {
  if (process.env.PROVE) return setup.signIn();
  const { db } = clinic.ctx;
  const isOpen = async ({ staffId, patientId }: NonNullable<typeof shared>) =>
    (await db.staffSession.count({ where: { id: staffId, endedAt: null } })) === 1 &&
    (await db.patientSession.count({ where: { id: patientId, endedAt: null } })) === 1;
  if (shared && (await isOpen(shared))) return shared.sessions;
  const sessions = await setup.signIn();
  const newest = { orderBy: { id: 'desc' } } as const;
  const { id: staffId } = await db.staffSession.findFirstOrThrow(newest);
  const { id: patientId } = await db.patientSession.findFirstOrThrow(newest);
  shared = { sessions, staffId, patientId };
  return sessions;
}

test.each(ENDPOINT_ROWS.map((row) => [row.name, row] as const))(
  '%s sends a short response in time for any request, and never a 5xx',
  async (name, row) => {
    const statuses = new Map<number, number>();
    seen.set(name, statuses);
    const sessions = await sessionsForNext();
    await fc.assert(
      fc.asyncProperty(arbitraryEndpointRequest(row, setup, sessions), async (request) => {
        const status = await sendAndCheck(request);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }),
      { seed: SEED, numRuns, interruptAfterTimeLimit: 40_000 },
    );
  },
);
