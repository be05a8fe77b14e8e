import { ERROR_MESSAGES } from '#contract/error-messages.ts';
import type { Route } from '#contract/routes.ts';
import { credentialOf } from '../core/actor.ts';
import { HOUR, SECOND } from '../core/clock.ts';
import type { Context, KeyedRequest } from '../core/context.ts';
import { sha256 } from '../core/crypto.ts';
import { keyInUse, keyTakenOver, outcomeBoundTo } from '../core/duplicate-request.ts';
import { apiError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { HttpRequest, HttpResponse } from './handler.ts';

const KEY_TTL = 24 * HOUR;
/**
 * How long a key stays held after its last renewal, on PostgreSQL's clock. After that, its process has died or is
 * stalled.
 */
const LEASE_MS = 10 * SECOND;
const RENEW_MS = 3 * SECOND;
/** The part of the lease that must remain when a call to a provider is sent. */
const MARGIN_MS = 1 * SECOND;
/** `locked_at` of a key that no run holds. */
const RELEASED = new Date(0);
const STORED_HEADERS = ['content-type', 'location', 'link'];

/** `isFinal`: the response is stored, because it would be the same at any later time. */
export type IdempotentResult = { response: HttpResponse; isFinal: boolean };
export type IdempotentWork = {
  route: Pick<Route, 'does' | 'holdsSecrets'>;
  run(keyed: KeyedRequest): Promise<IdempotentResult>;
  /** Rebuilds a lost response from the stored outcome of the request. */
  rebuild(outcome: unknown): HttpResponse;
};

type Id = { tenantId: string; credential: string; key: string };
type HeldKey = { id: string; outcome: Uint8Array | null };

/**
 * Returns the request's Idempotency-Key, or null.
 * @throws `invalid_parameter` when it is empty or longer than 255 characters
 */
export function readIdempotencyKey(request: HttpRequest): string | null {
  if (request.method !== 'POST') return null;
  const key = request.header('idempotency-key');
  if (key === null) return null;
  if (key.length === 0 || key.length > 255 || !/^[\x20-\x7e]+$/.test(key))
    throw apiError('invalid_parameter', 'Idempotency-Key must be 1 to 255 printable ASCII characters.', {
      people: ERROR_MESSAGES.invalid_parameter,
      source: { parameter: 'Idempotency-Key' },
    });
  return key;
}

/**
 * Runs the work once per credential and key: the first response is stored for 24 hours and replayed. Responses of 500
 * and above and transient errors are not stored: the same request may try again, a different one may not.
 *
 * The work stores its outcome under the key in its own transaction, so a retry is served from that if the process died
 * before it stored the response. Each run has its own holder id and renews its lease: after SIGKILL, a retry proceeds
 * once the lease has expired. A run whose key was taken over (its process was stopped, or cut off from the database)
 * makes no further call to a provider and writes nothing.
 * @throws `idempotency_key_reused`, `idempotency_key_in_use`
 */
export async function runIdempotent(
  ctx: Context,
  key: string,
  request: { method: string; path: string; query: string; body: string },
  { route, run, rebuild }: IdempotentWork,
): Promise<HttpResponse> {
  const id: Id = { tenantId: ctx.tenantId, credential: credentialOf(ctx.actor), key };
  const requestHash = sha256(JSON.stringify([request.method, request.path, request.query, request.body]));
  const holder = newId();
  const requestedAt = performance.now();
  const held = await acquireKey(ctx, id, requestHash, holder);
  if (!held) return replayStored(ctx, id, requestHash);
  if (held.outcome && !route.holdsSecrets) {
    const outcome = ctx.cipher.open(held.outcome, outcomeBoundTo(id.tenantId, held.id));
    const response = rebuild(JSON.parse(outcome));
    await storeResponse(ctx, id, holder, response);
    return replayed(response);
  }
  let result: IdempotentResult;
  const lease = startLease(ctx, id, { holder, requestedAt });
  try {
    result = await run({ key, id: held.id, holder, does: route.does ?? [], assertHeld: lease.assertHeld });
  } catch (error) {
    await release(ctx, id, holder);
    throw error;
  } finally {
    lease.end();
  }
  const { response } = result;
  await (result.isFinal ? storeResponse(ctx, id, holder, response) : release(ctx, id, holder));
  return held.outcome && result.isFinal ? replayed(response) : response;
}

const replayed = (response: HttpResponse): HttpResponse => ({
  ...response,
  headers: { ...response.headers, 'idempotent-replayed': 'true' },
});

/** For a request that could not hold the key: returns the stored response, or throws the reason why there is none. */
async function replayStored(ctx: Context, id: Id, requestHash: string): Promise<HttpResponse> {
  const row = await ctx.db.idempotencyKey.findFirst({ where: id });
  if (row && row.requestHash !== requestHash)
    throw apiError('idempotency_key_reused', 'This Idempotency-Key was used with another request.', {
      source: { parameter: 'Idempotency-Key' },
    });
  if (row?.status && row.body)
    return replayed({
      status: row.status,
      headers: row.headers as Record<string, string>,
      body: ctx.cipher.open(row.body, responseBoundTo(id)),
    });
  throw keyInUse('A request with this Idempotency-Key is still running; send it again after `Retry-After` seconds.');
}

/** Renews the lease until `end`. `requestedAt` is the time of the request for the key, by `performance.now()`. */
function startLease(ctx: Context, id: Id, { holder, requestedAt }: { holder: string; requestedAt: number }) {
  let until = requestedAt + LEASE_MS;
  let isLost = false;
  /** Also restores an expired lease if no other run has taken the key over. */
  async function renew(): Promise<void> {
    const sentAt = performance.now();
    const renewed = await ctx.db.$executeRaw`
      update idempotency_keys set locked_at = now()
      where tenant_id = ${id.tenantId}::uuid and credential = ${id.credential} and key = ${id.key}
        and holder = ${holder}::uuid and status is null`;
    if (renewed > 0) until = sentAt + LEASE_MS;
    else isLost = true;
  }
  // The next renewal, or the check before the next call to a provider, makes up for a failed one.
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref();
  return {
    end: () => clearInterval(timer),
    async assertHeld(): Promise<void> {
      if (!isLost && performance.now() > until - MARGIN_MS) await renew();
      if (isLost) throw keyTakenOver();
    },
  };
}

const responseBoundTo = ({ tenantId, credential, key }: Id) => `idempotency_keys/${tenantId}/${credential}/${key}`;

async function storeResponse(
  ctx: Context,
  id: Id,
  holder: string,
  { status, headers, body }: HttpResponse,
): Promise<void> {
  await ctx.db.idempotencyKey.updateMany({
    where: { ...id, holder, status: null },
    data: {
      status,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => STORED_HEADERS.includes(name))),
      body: ctx.cipher.seal(body ?? '', responseBoundTo(id)),
    },
  });
}

/** Releases the key but not the request's hash: only the same request may use the key again. */
async function release(ctx: Context, id: Id, holder: string): Promise<void> {
  await ctx.db.idempotencyKey.updateMany({ where: { ...id, holder, status: null }, data: { lockedAt: RELEASED } });
}

/**
 * Takes the key's row if it is new, expired, released, left by a dead process, or done without a stored response; else
 * null.
 */
async function acquireKey(ctx: Context, id: Id, requestHash: string, holder: string): Promise<HeldKey | null> {
  const now = ctx.clock.now();
  const ended = new Date(now.getTime() - KEY_TTL);
  const [row] = await ctx.db.$queryRaw<HeldKey[]>`
    insert into idempotency_keys as k (tenant_id, credential, key, id, holder, request_hash, locked_at, created_at)
    values (${id.tenantId}::uuid, ${id.credential}, ${id.key}, ${newId(now)}::uuid, ${holder}::uuid, ${requestHash},
      now(), ${now})
    on conflict (tenant_id, credential, key) do update
      set holder = excluded.holder, locked_at = excluded.locked_at, request_hash = excluded.request_hash,
        id = case when k.created_at <= ${ended} then excluded.id else k.id end,
        created_at = case when k.created_at <= ${ended} then excluded.created_at else k.created_at end,
        outcome = case when k.created_at <= ${ended} then null else k.outcome end,
        status = null, headers = null, body = null
      where k.created_at <= ${ended}
        or (k.status is null and k.request_hash = excluded.request_hash
          and (k.outcome is not null or k.locked_at < now() - ${LEASE_MS} * interval '1 ms'))
    returning id, outcome`;
  return row ?? null;
}
