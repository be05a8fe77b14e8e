import { fromBase64Url } from './base64-url.ts';
import { ConfigurationError } from './errors.ts';

export type Flow = 'passwordless' | 'credentials';
export type Configuration = {
  env: string;
  flow: Flow;
  /** `{base_url}` of the REST API. */
  api: string;
  /** `{PUBLIC_URL}/identity`. */
  auth: string;
  tenantId: string;
  clientId: string;
};

const PARTS = /^care_([a-z]+)_([\w-]+)$/;
const VERSION = 1;
/** A production service is only reachable by TLS. */
const ADDRESS = { production: /^https:\/\/\S+$/, other: /^https?:\/\/\S+$/ };

/**
 * Parses `care_<environment>_<base64url(JSON)>`, the token of the API credentials page.
 * @param environment rejects tokens of any other environment, so that a production app does not run with a sandbox
 * token
 * @throws ConfigurationError
 */
export function readConfiguration(token: string, flow: Flow, environment?: string): Configuration {
  const [, env, encoded] = PARTS.exec(typeof token === 'string' ? token.trim() : '') ?? [];
  if (!env || !encoded)
    throw new ConfigurationError(
      'malformed_configuration',
      'This is no configuration token: it starts with "care_" and comes from the API credentials page.',
    );
  const content = decode(encoded);
  if (content.v !== VERSION)
    throw new ConfigurationError(
      'unsupported_version',
      'The configuration token needs another version of this package.',
    );
  if (content.env !== env || (environment !== undefined && environment !== env))
    throw new ConfigurationError(
      'wrong_environment',
      `The configuration token is of the environment ${env}, not ${environment ?? String(content.env)}.`,
    );
  if (content.flow !== flow)
    throw new ConfigurationError('wrong_flow', `The configuration token is for ${String(content.flow)}, not ${flow}.`);
  const { api, auth, tenant_id: tenantId, client_id: clientId } = content;
  const address = env === 'production' ? ADDRESS.production : ADDRESS.other;
  const isComplete = [api, auth].every((url) => typeof url === 'string' && address.test(url));
  if (!isComplete || typeof tenantId !== 'string' || typeof clientId !== 'string')
    throw new ConfigurationError('malformed_configuration', 'The configuration token lacks a part. Copy it again.');
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
    'The configuration token is cut off or changed. Copy it again.',
  );
}
