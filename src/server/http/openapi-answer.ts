import { openApiDocument } from '#contract/openapi.ts';
import type { Config } from '../core/config.ts';
import type { DoorResponse } from './wire.ts';

let cached: string | null = null;

/** The document is made once, at the first reading. */
export function openApiAnswer(config: Config): DoorResponse {
  cached ??= JSON.stringify(openApiDocument({ baseUrl: config.baseUrl, tokenUrl: `${config.issuer}/oauth2/token` }));
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=300' },
    body: cached,
  };
}

/** The same for people is a page. */
export const toReference = ({ publicUrl }: Config): DoorResponse => ({
  status: 302,
  headers: { location: `${publicUrl}/docs` },
  body: null,
});
