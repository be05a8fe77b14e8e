import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { KDF } from '#sdk/protocol/kdf.ts';
import { type Context, systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { publicClients } from '#server/identity/applications/public-client.ts';
import { registrationColumns } from '#server/identity/srp/verifier.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import type { BenchSetup } from '../bench-setup.ts';
import type { Figures, Job } from '../job.ts';
import { quantile } from '../quantile.ts';
import { startProcess } from '../start-process.ts';
import { postJson } from './post-json.ts';
import { signInMany } from './sign-in-many.ts';
import { type Account, beginExchange, hexOf, makeAccount, proveExchange } from './srp-client.ts';

async function addPatient(ctx: Context, { email, identity, salt, v }: Account): Promise<void> {
  const { db, tenantId } = ctx;
  const id = newId();
  await db.patient.create({ data: { id, tenantId, email, emailVerified: true, canSignIn: true } });
  const registration = registrationColumns(ctx, id, { identity, salt, verifier: hexOf(v), kdf: KDF });
  await db.patientSignIn.create({ data: { tenantId, patientId: id, confirmedAt: new Date(), ...registration } });
}

async function signIn(url: string, clientId: string, account: Account): Promise<string> {
  const agent = new Agent();
  const first = beginExchange(account);
  const body = { client_id: clientId, email: account.email, A: first.hexA };
  const started = await postJson(agent, `${url}/srp/start`, body);
  const { M1 } = proveExchange(first, started);
  const tokens = await postJson(agent, `${url}/srp/finish`, { handshake: started.handshake, M1 });
  return tokens.access_token;
}

/** Creates a clinic whose patients have passwords. @returns their app's client id, the accounts and one access token */
async function prepareClinic({ services, url }: Pick<BenchSetup, 'services' | 'url'>, patients: number) {
  const { id: tenantId } = await createTenant(services, { name: 'Riverbend Clinic', timeZone: 'America/New_York' });
  const ctx = systemContext(services, tenantId, 'bench');
  const { credentials: clientId } = await publicClients(ctx);
  const accounts = Array.from({ length: patients }, (_, index) => makeAccount(`patient${index}@example.test`));
  for (const account of accounts) await addPatient(ctx, account);
  return { clientId, accounts, token: await signIn(`${url}/identity/credentials`, clientId, accounts[0]!) };
}

const PATIENTS = 64;
const CONCURRENCY = 16;
/** Sign-ins per measurement, so that each side takes a few seconds, and longer where a p99 of other reads is taken. */
const COUNT = { ours: 360, peer: 30, limit: 900, beside: 1080 };
const READS_PER_SECOND = 100;
const READING_ALONE_MS = 6000;

const OURS = 'ours';
const PEER = 'peer: fast-srp-hap';
const LIMIT = 'limit: three OpenSSL powers';
const ALONE = 'another read alone';
const BESIDE = 'another read beside sign-ins';

/** Password sign-ins over HTTP: throughput, and the effect on other requests. */
export const passwordSignIn: Job = {
  id: 'P5',
  title: `SRP sign-in over HTTP, ${CONCURRENCY} at a time`,
  async prepare(setup) {
    const { clientId, accounts, token } = await prepareClinic(setup, PATIENTS);
    const [peer, limit, reads] = await Promise.all([
      startProcess('sign-in/peer-process.ts'),
      startProcess('sign-in/powers-process.ts'),
      startProcess('sign-in/reads-process.ts'),
    ]);
    const registrations = accounts.map(({ v, x: _, ...registration }) => ({ ...registration, verifier: hexOf(v) }));
    const peerUrl = await peer.request<string>({ registrations });
    await reads.request({ url: `${setup.url}/api/v1/patients/me`, token, perSecond: READS_PER_SECOND });

    const common = { clientId, accounts, concurrency: CONCURRENCY };
    const ours = { ...common, url: `${setup.url}/identity/credentials`, count: COUNT.ours };
    async function readDuring(work: () => Promise<unknown>): Promise<number[]> {
      await reads.request('begin');
      await work();
      return reads.request<number[]>('end');
    }
    const summary = (times: number[]): Figures => ({
      'p50 ms': quantile(times, 0.5),
      'p99 ms': quantile(times, 0.99),
    });
    return {
      sides: [
        { name: OURS, measure: () => signInMany(ours) },
        { name: PEER, measure: () => signInMany({ ...common, url: peerUrl, count: COUNT.peer }) },
        { name: LIMIT, measure: () => limit.request<Figures>({ count: COUNT.limit }) },
        { name: ALONE, measure: async () => summary(await readDuring(() => sleep(READING_ALONE_MS))) },
        {
          name: BESIDE,
          async measure() {
            const times: number[] = [];
            await signInMany({
              ...ours,
              count: COUNT.beside,
              during: async (half) => void times.push(...(await readDuring(half))),
            });
            return summary(times);
          },
        },
      ],
      goals: [
        {
          words: 'ours : peer, at least 12',
          of: (side) => side[OURS]!['per second']! / side[PEER]!['per second']!,
          holds: (ratio) => ratio >= 12,
        },
        {
          words: 'ours : limit, at least 0.35',
          of: (side) => side[OURS]!['per second']! / side[LIMIT]!['per second']!,
          holds: (ratio) => ratio >= 0.35,
        },
        {
          words: 'added to the p99 of another read, at most 5 ms',
          of: (side) => side[BESIDE]!['p99 ms']! - side[ALONE]!['p99 ms']!,
          holds: (added) => added <= 5,
        },
      ],
      stop: async () => void (await Promise.all([peer, limit, reads].map((helper) => helper.stop()))),
    };
  },
};
