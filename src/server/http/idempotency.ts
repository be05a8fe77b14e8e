import type { Route } from '#contract/routes.ts';
import { WORDS_FOR_PEOPLE } from '#contract/words-for-people.ts';
import { credentialOf } from '../core/actor.ts';
import { HOUR, MINUTE } from '../core/clock.ts';
import type { Context, KeyedRequest } from '../core/context.ts';
import { sha256 } from '../core/crypto.ts';
import { refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { outcomeBoundTo } from '../core/keyed-request.ts';
import type { DoorRequest, DoorResponse } from './wire.ts';

const KEY_TTL = 24 * HOUR;
/** A request that has not answered by then died with its process; its key may be taken over. */
const LOCK_TTL = 2 * MINUTE;
/** Held by nobody. */
const FREE = new Date(0);
const KEPT_HEADERS = ['content-type', 'location', 'link'];

/** `keep`: it would be the same at any later time. */
export type Answer = { response: DoorResponse; keep: boolean };
export type Work = {
  route: Pick<Route, 'does' | 'holdsSecrets'>;
  run(keyed: KeyedRequest): Promise<Answer>;
  /** The answer that was lost, from what the request is known to have done. */
  retell(outcome: unknown): DoorResponse;
};

type Id = { tenantId: string; credential: string; key: string };
type Held = { id: string; outcome: Uint8Array | null };

/** The caller's key, or null. Refused when empty or longer than 255 characters. */
export function readIdempotencyKey(request: DoorRequest): string | null {
  if (request.method !== 'POST') return null;
  const key = request.header('idempotency-key');
  if (key === null) return null;
  if (key.length === 0 || key.length > 255 || !/^[\x20-\x7e]+$/.test(key))
    throw refuse('invalid_parameter', 'Idempotency-Key must be 1 to 255 printable ASCII characters.', {
      people: WORDS_FOR_PEOPLE.invalid_parameter,
      source: { parameter: 'Idempotency-Key' },
    });
  return key;
}

/**
 * Does the work once for each credential and key: the first answer is kept for 24 hours and given again. Answers of 500
 * and above, and refusals that pass by themselves, are not kept: the same request tries again, another one does not.
 *
 * What the work does it writes under the key in its own transaction, so a retry is answered from that when the process
 * died before it could keep the answer. Each run holds the key by a number of its own: one that was taken for dead and
 * is not writes nothing any more.
 */
export async function once(
  ctx: Context,
  key: string,
  request: { method: string; path: string; query: string; body: string },
  { route, run, retell }: Work,
): Promise<DoorResponse> {
  const id: Id = { tenantId: ctx.tenantId, credential: credentialOf(ctx.actor), key };
  const requestHash = sha256(JSON.stringify([request.method, request.path, request.query, request.body]));
  const holder = newId();
  const held = await hold(ctx, id, requestHash, holder);
  if (!held) return earlier(ctx, id, requestHash);
  if (held.outcome && !route.holdsSecrets) {
    const outcome = ctx.cipher.open(held.outcome, outcomeBoundTo(id.tenantId, held.id));
    const response = retell(JSON.parse(outcome));
    await keep(ctx, id, holder, response);
    return replayed(response);
  }
  let answer: Answer;
  try {
    answer = await run({ key, id: held.id, holder, does: route.does ?? [] });
  } catch (error) {
    await release(ctx, id, holder);
    throw error;
  }
  const { response } = answer;
  await (answer.keep ? keep(ctx, id, holder, response) : release(ctx, id, holder));
  return held.outcome && answer.keep ? replayed(response) : response;
}

const replayed = (response: DoorResponse): DoorResponse => ({
  ...response,
  headers: { ...response.headers, 'idempotent-replayed': 'true' },
});

/** Who could not hold the key is given the kept answer, or told why there is none. */
async function earlier(ctx: Context, id: Id, requestHash: string): Promise<DoorResponse> {
  const row = await ctx.db.idempotencyKey.findFirst({ where: id });
  if (row && row.requestHash !== requestHash)
    throw refuse('idempotency_key_reused', 'This Idempotency-Key was used with another request.', {
      source: { parameter: 'Idempotency-Key' },
    });
  if (row?.status && row.body)
    return replayed({
      status: row.status,
      headers: row.headers as Record<string, string>,
      body: ctx.cipher.open(row.body, answerBoundTo(id)),
    });
  throw refuse('idempotency_key_in_use', 'A request with this Idempotency-Key is still running; try again shortly.');
}

const answerBoundTo = ({ tenantId, credential, key }: Id) => `idempotency_keys/${tenantId}/${credential}/${key}`;

async function keep(ctx: Context, id: Id, holder: string, { status, headers, body }: DoorResponse): Promise<void> {
  await ctx.db.idempotencyKey.updateMany({
    where: { ...id, holder, status: null },
    data: {
      status,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => KEPT_HEADERS.includes(name))),
      body: ctx.cipher.seal(body ?? '', answerBoundTo(id)),
    },
  });
}

/** What was asked for stays: the same request may be tried again, and no other one under this key. */
async function release(ctx: Context, id: Id, holder: string): Promise<void> {
  await ctx.db.idempotencyKey.updateMany({ where: { ...id, holder, status: null }, data: { lockedAt: FREE } });
}

/** The key's row when it is ours to run: new, ended, let go, left behind by a process that died, or done unanswered. */
async function hold(ctx: Context, id: Id, requestHash: string, holder: string): Promise<Held | null> {
  const now = ctx.clock.now();
  const ended = new Date(now.getTime() - KEY_TTL);
  const abandoned = new Date(now.getTime() - LOCK_TTL);
  const [row] = await ctx.db.$queryRaw<Held[]>`
    insert into idempotency_keys as k (tenant_id, credential, key, id, holder, request_hash, locked_at, created_at)
    values (${id.tenantId}::uuid, ${id.credential}, ${id.key}, ${newId(now)}::uuid, ${holder}::uuid, ${requestHash},
      ${now}, ${now})
    on conflict (tenant_id, credential, key) do update
      set holder = excluded.holder, locked_at = excluded.locked_at, request_hash = excluded.request_hash,
        id = case when k.created_at <= ${ended} then excluded.id else k.id end,
        created_at = case when k.created_at <= ${ended} then excluded.created_at else k.created_at end,
        outcome = case when k.created_at <= ${ended} then null else k.outcome end,
        status = null, headers = null, body = null
      where k.created_at <= ${ended}
        or (k.status is null and k.request_hash = excluded.request_hash
          and (k.outcome is not null or k.locked_at < ${abandoned}))
    returning id, outcome`;
  return row ?? null;
}
