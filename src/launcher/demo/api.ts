import { randomUUID } from 'node:crypto';
import type { Target } from './target.ts';

export type Api = {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
};

const TIMEOUT_MS = 20_000;

/** Throws an error with the response body for an unexpected status. */
export async function expectStatus(response: Response, status: number, what: string): Promise<void> {
  if (response.status === status) return;
  throw new Error(`${what} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
}

/** A client for the public API, as an application would write it. */
export function createApi(target: Target, accessToken: string): Api {
  const authorization = `Bearer ${accessToken}`;
  return {
    async get<T>(path: string) {
      const response = await fetch(`${target.baseUrl}${path}`, {
        headers: { authorization },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await expectStatus(response, 200, `GET ${path}`);
      return (await response.json()) as T;
    },
    async post<T>(path: string, body: unknown) {
      const response = await fetch(`${target.baseUrl}${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const creates = /^\/(patients|subscriptions|appointments)$/.test(path);
      await expectStatus(response, creates ? 201 : 200, `POST ${path}`);
      return (await response.json()) as T;
    },
  };
}
