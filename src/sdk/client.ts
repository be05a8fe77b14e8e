import { fromBase64Url } from './base64-url.ts';
import { ConfigurationError } from './errors.ts';
import { expectFields, RESPONSE_FIELDS } from './expect-fields.ts';
import { type Fetch, send } from './http.ts';
import { solve, tooMuchWork, WorkRequired } from './proof-of-work.ts';
import { ENDPOINTS, type Endpoint, type Wire } from './protocol/endpoints.ts';
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
  secrets: Vault;
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
  const existing = Object.values(clients).find((client) => client.key === key && client.storage === options.storage);
  const { vault, secrets, tabs } = existing ?? openSession(key, options.storage);
  const fetch = options.fetch ?? ((...request: Parameters<Fetch>) => globalThis.fetch(...request));
  const now = options.now ?? (() => Date.now());
  latest = { configuration, key, storage: options.storage, vault, secrets, tabs, fetch, now };
  clients[flow] = latest;
  return { baseUrl: configuration.api, environment: configuration.env };
}

function openSession(key: string, storage: AuthStorage | undefined): Pick<Client, 'vault' | 'secrets' | 'tabs'> {
  const backend = storage ?? browserStorage() ?? memoryStorage();
  const vault = openVault(backend, key);
  return { vault, secrets: openVault(backend, `${key}.kept`), tabs: watchTabs(key, () => vault.forget()) };
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
  options: { bearer?: string; idempotencyKey?: string } = {},
): Promise<Wire[Name]['response']> {
  const [method, path] = ENDPOINTS[endpoint].split(' ') as [string, string];
  const url = client.configuration.auth + path;
  const sendRequest = (more: object = {}) =>
    send(client.fetch, { method, url, json: { ...body, ...more }, ...options });
  const response = await sendRequest().catch(async (error) => {
    if (!(error instanceof WorkRequired)) throw error;
    const proof_of_work = await solve(error.work);
    return sendRequest({ proof_of_work }).catch((retryError) => {
      throw retryError instanceof WorkRequired ? tooMuchWork({ cause: retryError }) : retryError;
    });
  });
  return expectFields(response, RESPONSE_FIELDS[endpoint] ?? []);
}

export type Flow = 'passwordless' | 'credentials';
type Configuration = {
  env: string;
  flow: Flow;
  /** `{base_url}` of the REST API. */
  api: string;
  /** `{PUBLIC_URL}/identity`. */
  auth: string;
  tenantId: string;
  clientId: string;
};

const TOKEN_FORMAT = /^care_([a-z]+)_([\w-]+)$/;
const VERSION = 1;
/** A production service is only reachable by TLS. */
const URL_FORMAT = { production: /^https:\/\/\S+$/, other: /^https?:\/\/\S+$/ };

/**
 * Parses `care_<environment>_<base64url(JSON)>`, the token of the API credentials page.
 * @param environment rejects tokens of any other environment, so that a production app does not run with a sandbox
 * token
 * @throws ConfigurationError
 */
export function readConfiguration(token: string, flow: Flow, environment?: string): Configuration {
  const [, env, encoded] = TOKEN_FORMAT.exec(typeof token === 'string' ? token.trim() : '') ?? [];
  if (!env || !encoded)
    throw new ConfigurationError(
      'malformed_configuration',
      'This is not a configuration token. It starts with "care_" and is on the API credentials page.',
    );
  const content = decode(encoded);
  if (content.v !== VERSION)
    throw new ConfigurationError(
      'unsupported_version',
      'The configuration token requires another version of this package.',
    );
  if (content.env !== env || (environment !== undefined && environment !== env))
    throw new ConfigurationError(
      'wrong_environment',
      `The configuration token is of the environment ${env}, not ${environment ?? String(content.env)}.`,
    );
  if (content.flow !== flow)
    throw new ConfigurationError('wrong_flow', `The configuration token is for ${String(content.flow)}, not ${flow}.`);
  const { api, auth, tenant_id: tenantId, client_id: clientId } = content;
  const address = env === 'production' ? URL_FORMAT.production : URL_FORMAT.other;
  const isComplete = [api, auth].every((url) => typeof url === 'string' && address.test(url));
  if (!isComplete || typeof tenantId !== 'string' || typeof clientId !== 'string')
    throw new ConfigurationError('malformed_configuration', 'The configuration token is incomplete. Copy it again.');
  return { env, flow, api: String(api), auth: String(auth), tenantId, clientId };
}

function decode(encoded: string): Record<string, unknown> {
  try {
    const bytes = fromBase64Url(encoded);
    const content: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof content === 'object' && content !== null) return content as Record<string, unknown>;
  } catch {
    // Reported below: a truncated token is the usual reason.
  }
  throw new ConfigurationError(
    'truncated_configuration',
    'The configuration token is truncated or changed. Copy it again.',
  );
}

/** Sign-in and sign-out notifications between the tabs of one origin. */
type Tabs = {
  /** @returns a function that removes the listener */
  listen(listener: () => void): () => void;
  announce(message: 'signed_in' | 'signed_out'): void;
};

/**
 * Calls the listeners after a storage event or a BroadcastChannel message in a browser; elsewhere only within this
 * process.
 * @param onSignOut called when another tab signed out
 */
export function watchTabs(key: string, onSignOut: () => void): Tabs {
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  // Node has a BroadcastChannel too, which would prevent its process from exiting.
  const isBrowser = typeof window !== 'undefined' && typeof window.addEventListener === 'function';
  const channel = isBrowser && typeof BroadcastChannel === 'function' ? new BroadcastChannel(key) : null;
  if (channel)
    channel.onmessage = ({ data }) => {
      if (data === 'signed_out') onSignOut();
      notify();
    };
  if (isBrowser)
    window.addEventListener('storage', (event) => {
      // The key is null after `localStorage.clear()`.
      if (event.key === key || event.key === null) notify();
    });
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce(message) {
      channel?.postMessage(message);
      notify();
    },
  };
}
