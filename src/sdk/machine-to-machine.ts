import { requestToken, requireServer } from './request-token.ts';
import type { MachineToMachine } from './server-functions.ts';

const MARGIN_MS = 60_000;
/** Cached tokens by token endpoint, client and secret; concurrent callers share a running request. */
const known = new Map<string, { token: Promise<string>; expiresAt: number }>();

export const machineToMachine: MachineToMachine = {
  async getAccessToken(url, client_id, client_secret, options = {}) {
    requireServer();
    const now = options.now ?? Date.now;
    const key = JSON.stringify([url, client_id, client_secret]);
    const entry = known.get(key);
    if (entry && entry.expiresAt - now() > MARGIN_MS) return entry.token;
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const grant = requestToken(url, form, options);
    const next = { token: grant.then(({ access_token }) => access_token), expiresAt: Number.POSITIVE_INFINITY };
    // The error is thrown by `answer` below; this prevents an unhandled rejection.
    next.token.catch(() => undefined);
    known.set(key, next);
    try {
      const { expires_in } = await grant;
      next.expiresAt = now() + expires_in * 1000;
    } catch (error) {
      known.delete(key);
      throw error;
    }
    return next.token;
  },
};
