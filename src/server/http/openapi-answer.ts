import type { Config } from '../core/config.ts';
import type { Services } from '../core/context.ts';
import type { DoorResponse } from './wire.ts';

export function openApiAnswer({ http }: Services): DoorResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=300' },
    body: http.openApi(),
  };
}

/** Redirects to the reference page for people. */
export const toReference = ({ publicUrl }: Config): DoorResponse => ({
  status: 302,
  headers: { location: `${publicUrl}/docs` },
  body: null,
});
