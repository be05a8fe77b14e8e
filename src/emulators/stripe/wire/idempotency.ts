import { createHash } from 'node:crypto';
import type { EmulatorRequest, Reply } from '../../core/route.ts';
import type { AccountData } from '../state.ts';
import { invalidRequest, stripeError } from './errors.ts';

const RETENTION_SECONDS = 24 * 3600;
const running = new WeakMap<AccountData, Set<string>>();

export interface Execution {
  reply: Reply;
  /** False when the request was rejected before execution; its idempotency key then remains unused. */
  began: boolean;
}

/**
 * Runs a POST once per key and account; replays the first response, with any status, for 24 hours.
 * @throws ErrorReply `idempotency_error`: 400 for other parameters, 409 while the first request is in progress
 */
export async function runIdempotently(
  request: EmulatorRequest,
  data: AccountData,
  now: number,
  execute: () => Promise<Execution>,
): Promise<Reply> {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || request.method !== 'POST') return (await execute()).reply;
  if (key.length > 255) throw invalidRequest('Idempotency keys can be at most 255 characters long.');
  const fingerprint = createHash('sha256').update(`${request.path}\n`).update(request.rawBody).digest('hex');
  const saved = Object.hasOwn(data.idempotency, key) ? data.idempotency[key] : undefined;
  if (saved && now - saved.savedAt < RETENTION_SECONDS) {
    if (saved.fingerprint !== fingerprint) throw mismatch(key, saved.path, request.path);
    return { status: saved.status, body: saved.body, headers: { 'idempotent-replayed': 'true' } };
  }
  const inProgress = running.get(data) ?? new Set();
  running.set(data, inProgress);
  if (inProgress.has(key)) throw inUse(key);
  inProgress.add(key);
  try {
    const { reply, began } = await execute();
    if (began) {
      data.idempotency[key] = { fingerprint, path: request.path, status: reply.status, body: reply.body, savedAt: now };
    }
    return reply;
  } finally {
    inProgress.delete(key);
  }
}

export function purgeExpiredKeys(data: AccountData, now: number): void {
  for (const [key, { savedAt }] of Object.entries(data.idempotency)) {
    if (now - savedAt >= RETENTION_SECONDS) delete data.idempotency[key];
  }
}

function mismatch(key: string, before: string, after: string) {
  const message =
    before === after
      ? `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
      : `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${after}' vs '${before}'). Try using a key other than '${key}' if you meant to execute a different request.`;
  return stripeError(400, { type: 'idempotency_error', message });
}

function inUse(key: string) {
  const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`;
  return stripeError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message });
}
