import type { Services } from '../services.ts';
import type { Actor } from './actor.ts';
import type { Db } from './db.ts';
import { newId } from './ids.ts';

export type { Services };

/** A request with an Idempotency-Key, as the run sees it that holds the key. */
export type KeyedRequest = {
  key: string;
  /** Of the key's row: work that is begun at a provider is found again by it. Another one when the key is used anew. */
  id: string;
  /** This run. Whoever takes the key over draws another, and from then on this one writes nothing under it. */
  holder: string;
  /** The changes that do what was asked for, as the audit log names them. */
  does: readonly string[];
  /**
   * Called before each call to a provider.
   * @throws `idempotency_key_in_use` when another run has taken the key over
   */
  assertHeld(): Promise<void>;
};

/** What a call does, for the entry that it leaves in the audit log. */
export type Trail = {
  /** Patients whose data a verb has met where its answer does not name them. */
  patients: Set<string>;
  /** The call has written something, which stands in the log already. */
  hasEntry: boolean;
};

export const newTrail = (): Trail => ({ patients: new Set(), hasEntry: false });

/** What a verb is given: who asks, their tenant's rows, and the world. */
export type Context = Services & {
  actor: Actor;
  tenantId: string;
  db: Db;
  requestId: string;
  /** The caller's Idempotency-Key, held for this run; null where the request came without one. */
  keyed: KeyedRequest | null;
  /** Awaited before each call to Stripe, of what is done in the background. */
  pace: (() => Promise<void>) | null;
  /** A verb says that it answers with what an earlier request has done. */
  onReplay: () => void;
  /** A verb says that it answers with a copy of so many seconds, which it could not bring up to date. */
  onAge: (seconds: number) => void;
  /** Where the request came from, where its door tells. */
  ip: string | null;
  /** The header, as it was sent. */
  userAgent: string | null;
  /** A page of the portal asks by itself for what it shows already. */
  isRefetch: boolean;
  trail: Trail;
  /** Aborted when nobody waits for the answer any more, where the door tells. */
  gone: (() => AbortSignal) | null;
  /** Who asks, as of now, for an answer that was long in coming; throws what the door would. Null where nobody signs in. */
  actorNow: (() => Promise<Actor>) | null;
};

/** What a provider's client needs. With `keyed`, it makes no call once another run has taken the key over. */
export type ProviderContext = Pick<Services, 'config' | 'providers'> & Partial<Pick<Context, 'keyed' | 'pace'>>;

export function contextFor(
  services: Services,
  actor: Actor,
  request: {
    requestId?: string;
    keyed?: KeyedRequest | null;
    onReplay?: () => void;
    onAge?: (seconds: number) => void;
    ip?: string | null;
    userAgent?: string | null;
    isRefetch?: boolean;
    gone?: (() => AbortSignal) | null;
    actorNow?: (() => Promise<Actor>) | null;
    onTenant?: (tenantId: string) => void;
  } = {},
): Context {
  request.onTenant?.(actor.tenantId);
  return {
    ...services,
    actor,
    tenantId: actor.tenantId,
    db: services.database.forTenant(actor.tenantId),
    requestId: request.requestId ?? newId(services.clock.now()),
    keyed: request.keyed ?? null,
    pace: null,
    onReplay: request.onReplay ?? (() => undefined),
    onAge: request.onAge ?? (() => undefined),
    ip: request.ip ?? null,
    userAgent: request.userAgent ?? null,
    isRefetch: request.isRefetch ?? false,
    trail: newTrail(),
    gone: request.gone ?? null,
    actorNow: request.actorNow ?? null,
  };
}

/** For jobs and webhooks: the service acting on its own, inside one tenant. */
export const systemContext = (services: Services, tenantId: string, job: string): Context =>
  contextFor(services, { kind: 'system', tenantId, job });

/** The service acting within a visitor's call: what it writes is that call's, and stands in the log from where it came. */
export const inVisitorsCall = (visitor: Context, job: string): Context => ({
  ...systemContext(visitor, visitor.tenantId, job),
  requestId: visitor.requestId,
  ip: visitor.ip,
  userAgent: visitor.userAgent,
  trail: visitor.trail,
});
