import { randomInt } from 'node:crypto';
import { Agent } from 'node:http';
import type { Figures } from '../job.ts';
import { quantile } from '../quantile.ts';
import { inParallel } from './in-parallel.ts';
import { postJson } from './post-json.ts';
import { type Account, beginExchange, proveExchange } from './srp-client.ts';

type Options = {
  /** The base URL of `/srp/start` and `/srp/finish`. */
  url: string;
  clientId: string;
  accounts: Account[];
  count: number;
  concurrency: number;
  /** Wraps each timed half, to measure something else at the same time. */
  during?: (half: () => Promise<void>) => Promise<void>;
};

const randomAddress = () => ({ 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` });

/**
 * Signs in by password over HTTP and checks each server proof. All first halves are sent, then the proofs are computed
 * untimed, then all second halves are sent: the client's two exponentiations, which would cost this machine as much as
 * the server's three, are not measured.
 */
export async function signInMany({ url, clientId, accounts, count, concurrency, during }: Options): Promise<Figures> {
  const begun = Array.from({ length: count }, (_, index) => ({
    ...beginExchange(accounts[index % accounts.length]!),
    headers: randomAddress(),
  }));
  const times = new Array<number>(count).fill(0);
  let seconds = 0;
  async function half<Item, Output>(
    items: Item[],
    send: (item: Item, agent: Agent) => Promise<Output>,
  ): Promise<Output[]> {
    const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
    let outputs: Output[] = [];
    const run = async () => {
      const startedAt = performance.now();
      outputs = await inParallel(items, concurrency, async (item, index) => {
        const sentAt = performance.now();
        const response = await send(item, agent);
        times[index]! += performance.now() - sentAt;
        return response;
      });
      seconds += (performance.now() - startedAt) / 1000;
    };
    try {
      await (during ? during(run) : run());
    } finally {
      agent.destroy();
    }
    return outputs;
  }
  const started = await half(begun, ({ account, hexA, headers }, agent) =>
    postJson(agent, `${url}/srp/start`, { client_id: clientId, email: account.email, A: hexA }, headers),
  );
  const proofs = begun.map(({ headers, ...first }, index) => ({
    headers,
    handshake: started[index].handshake,
    ...proveExchange(first, started[index]),
  }));
  await half(proofs, async ({ handshake, M1, M2, headers }, agent) => {
    const response = await postJson(agent, `${url}/srp/finish`, { handshake, M1 }, headers);
    if (response.M2 !== M2) throw new Error('the server could not prove itself');
  });
  return { 'per second': count / seconds, 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) };
}
