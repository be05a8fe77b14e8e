import { type Configuration, type Flow, readConfiguration } from './configuration.ts';
import { ConfigurationError } from './errors.ts';
import { expectFields, RESPONSE_FIELDS } from './expect-fields.ts';
import { type Fetch, send } from './http.ts';
import { solve, tooMuchWork, WorkRequired } from './proof-of-work.ts';
import { ENDPOINTS, type Endpoint, type Wire } from './protocol/endpoints.ts';
import { type Tabs, watchTabs } from './tabs.ts';
import { type AuthStorage, browserStorage, memoryStorage, openVault, type Vault } from './vault.ts';

export type ConfigureOptions = {
  /** Default: localStorage in browsers, memory elsewhere. */
  storage?: AuthStorage;
  /** Default: the platform's. */
  fetch?: Fetch;
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** `sandbox` or `production`: rejects tokens of the other one. Default: accepts both. */
  environment?: 'sandbox' | 'production';
};

/** A configured flow: the address of the service and the storage of the session. */
export type Client = {
  configuration: Configuration;
  /** Storage key of the session; both flows of a tenant share it, because one user is signed in at a time. */
  key: string;
  storage: AuthStorage | undefined;
  vault: Vault;
  /** Values that outlive the session. */
  keepsakes: Vault;
  tabs: Tabs;
  fetch: Fetch;
  now: () => number;
};

const clients: Partial<Record<Flow, Client>> = {};
let latest: Client | null = null;

/** Data on the service from a configuration token. */
export type Service = {
  /** Base URL of the REST API: `{PUBLIC_URL}/api/v1`. */
  baseUrl: string;
  environment: string;
};

export function configureFlow(flow: Flow, token: string, options: ConfigureOptions = {}): Service {
  const configuration = readConfiguration(token, flow, options.environment);
  const key = `carelane.session.${configuration.env}.${configuration.tenantId}`;
  const known = Object.values(clients).find((client) => client.key === key && client.storage === options.storage);
  const { vault, keepsakes, tabs } = known ?? openSession(key, options.storage);
  const fetch = options.fetch ?? ((...request: Parameters<Fetch>) => globalThis.fetch(...request));
  const now = options.now ?? (() => Date.now());
  latest = { configuration, key, storage: options.storage, vault, keepsakes, tabs, fetch, now };
  clients[flow] = latest;
  return { baseUrl: configuration.api, environment: configuration.env };
}

function openSession(key: string, storage: AuthStorage | undefined): Pick<Client, 'vault' | 'keepsakes' | 'tabs'> {
  const place = storage ?? browserStorage() ?? memoryStorage();
  const vault = openVault(place, key);
  return { vault, keepsakes: openVault(place, `${key}.kept`), tabs: watchTabs(key, () => vault.forget()) };
}

/** @throws ConfigurationError before `configure` */
export function clientOf(flow: Flow): Client {
  const client = clients[flow];
  if (!client) throw notConfigured(`${flow}.configure(configuration_token)`);
  return client;
}

/** Returns the client of the flow that was configured last: `user` works with either. */
export function currentClient(): Client {
  if (!latest) throw notConfigured('configure(configuration_token) of a flow');
  return latest;
}

const notConfigured = (call: string) => new ConfigurationError('not_configured', `Call ${call} first.`);

/** Calls an endpoint of the protocol. Solves a proof of work and repeats the request when the service requires one. */
export async function call<Name extends Endpoint>(
  client: Client,
  endpoint: Name,
  body: Wire[Name]['body'],
  proof: { bearer?: string; idempotencyKey?: string } = {},
): Promise<Wire[Name]['answer']> {
  const [method, path] = ENDPOINTS[endpoint].split(' ') as [string, string];
  const url = client.configuration.auth + path;
  const ask = (more: object = {}) => send(client.fetch, { method, url, json: { ...body, ...more }, ...proof });
  const answer = await ask().catch(async (error) => {
    if (!(error instanceof WorkRequired)) throw error;
    const proof_of_work = await solve(error.work);
    return ask({ proof_of_work }).catch((again) => {
      throw again instanceof WorkRequired ? tooMuchWork({ cause: again }) : again;
    });
  });
  return expectFields(answer, RESPONSE_FIELDS[endpoint] ?? []);
}
