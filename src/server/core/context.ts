import type { AuditAction } from '#contract/audit-actions.ts';
import type { Services } from '../services.ts';
import type { Actor } from './actor.ts';
import type { Db } from './db.ts';
import { newId } from './ids.ts';

export type { Services };

/** A request with an Idempotency-Key, as seen by the run that holds the key. */
export type KeyedRequest = {
  key: string;
  /** The id of the key's row, by which work at a provider is found again. A reused key gets another id. */
  id: string;
  /**
   * Identifies this run. A run that takes the key over has another value; after that, this run writes nothing under the
   * key.
   */
  holder: string;
  /** The audit actions that complete the request. */
  does: readonly AuditAction[];
  /**
   * Called before each call to a provider.
   * @throws `idempotency_key_in_use` when another run has taken the key over
   */
  assertHeld(): Promise<void>;
};

/** Collected during a call for its entry in the audit log. */
export type Trail = {
  /** Patients whose data the use case has read, if the response does not name them. */
  patients: Set<string>;
  /** The call has made a change, which has its own entry in the log already. */
  hasEntry: boolean;
  /** What the call was to change, for the entry of one that is denied or changes nothing. */
  details: Record<string, unknown>;
};

export const newTrail = (): Trail => ({ patients: new Set(), hasEntry: false, details: {} });

/** The input of a use case: the caller, the tenant's rows and the services. */
export type Context = Services & {
  actor: Actor;
  tenantId: string;
  db: Db;
  requestId: string;
  /** The caller's Idempotency-Key, held for this run; null if the request has none. */
  keyed: KeyedRequest | null;
  /** Awaited before each call to Stripe in background work. */
  pace: (() => Promise<void>) | null;
  /** Called when the response is the result of an earlier request. */
  onReplay: () => void;
  /** Called when the response is a copy of this age, in seconds, that could not be refreshed. */
  onAge: (seconds: number) => void;
  /** The client's address, if the entry point knows it. */
  ip: string | null;
  /** The `User-Agent` header, unchanged. */
  userAgent: string | null;
  /** The portal refetches data automatically that the page already shows. */
  isRefetch: boolean;
  trail: Trail;
  /** Aborted when the client has disconnected, if the entry point can detect it. */
  abortSignal: (() => AbortSignal) | null;
  /**
   * Authenticates the caller again, for a response that took long; throws like the entry point. Null where callers do
   * not sign in.
   */
  reauthenticate: (() => Promise<Actor>) | null;
};

/** The context of a provider's client. With `keyed`, it makes no call after another run has taken the key over. */
export type ProviderContext = Pick<Services, 'config' | 'log' | 'providers'> & Partial<Pick<Context, 'keyed' | 'pace'>>;

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
    abortSignal?: (() => AbortSignal) | null;
    reauthenticate?: (() => Promise<Actor>) | null;
    onTenant?: (tenantId: string) => void;
  } = {},
): Context {
  request.onTenant?.(actor.tenantId);
  // Named one by one: as `...services`, they took a tenth of the processor time of a small read.
  const { config, clock, cipher, log, database, rateLimiter, auditWriter, providers, events } = services;
  const { webhooks, identity, calls, mirror, catalogues, timeZones, channelsAwayUntil, http, close } = services;
  return {
    config,
    clock,
    cipher,
    log,
    database,
    rateLimiter,
    auditWriter,
    providers,
    events,
    webhooks,
    identity,
    calls,
    mirror,
    catalogues,
    timeZones,
    channelsAwayUntil,
    http,
    close,
    actor,
    tenantId: actor.tenantId,
    db: database.forTenant(actor.tenantId),
    requestId: request.requestId ?? newId(clock.now()),
    keyed: request.keyed ?? null,
    pace: null,
    onReplay: request.onReplay ?? (() => undefined),
    onAge: request.onAge ?? (() => undefined),
    ip: request.ip ?? null,
    userAgent: request.userAgent ?? null,
    isRefetch: request.isRefetch ?? false,
    trail: newTrail(),
    abortSignal: request.abortSignal ?? null,
    reauthenticate: request.reauthenticate ?? null,
  };
}

/** The context of jobs and webhooks: the service itself acts, inside one tenant. */
export const systemContext = (services: Services, tenantId: string, job: string): Context =>
  contextFor(services, { kind: 'system', tenantId, job });

/** The service acts within a visitor's call: its audit entries have that call's request id and address. */
export const asServiceForVisitor = (visitor: Context, job: string): Context => ({
  ...systemContext(visitor, visitor.tenantId, job),
  requestId: visitor.requestId,
  ip: visitor.ip,
  userAgent: visitor.userAgent,
  trail: visitor.trail,
});

/** The caller of a request and its origin, stored until the work is done. */
export type StoredCaller = {
  actor: Record<string, unknown>;
  requestId: string;
  ip: string | null;
  userAgent: string | null;
};

export function storedCallerOf({ actor, requestId, ip, userAgent }: Context): StoredCaller {
  const { scopes: _, permissions: __, ...caller } = { scopes: null, permissions: null, ...actor };
  return { actor: caller, requestId, ip, userAgent };
}

/** Returns a context that writes in the original caller's name. It has no rights: do not use it for authorization. */
export const asStoredCaller = (ctx: Context, { actor, requestId, ip, userAgent }: StoredCaller): Context => ({
  ...ctx,
  actor: { scopes: new Set(), permissions: new Set(), ...actor } as unknown as Actor,
  requestId,
  ip,
  userAgent,
  keyed: null,
});

/** Returns a context in the service's name, for changes that a request merely discovers at a provider. */
export const asService = (ctx: Context, job: string): Context =>
  ctx.actor.kind === 'system' ? ctx : { ...systemContext(ctx, ctx.tenantId, job), requestId: ctx.requestId };
