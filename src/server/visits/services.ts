import type { Services } from '#server/core/context.ts';
import type { Database } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import type { Logger } from '#server/core/log.ts';

const CHANNEL = 'carelane_calls';
/**
 * Polling interval without notifications: behind a pooler without a direct address, or while the connection is down.
 */
const POLL_INTERVAL_MS = 1_000;

/** A page that follows a call, by its seat. */
export type Listener = {
  seatId: string;
  /** The room has changed. */
  room(): void;
  /** Signals for this seat are waiting. */
  signals(): void;
  /** The stream ends: the process stops, or another page follows with the same seat. */
  end(): void;
};
type Room = { tenantId: string; appointmentId: string; listeners: Set<Listener> };
type Tenant = { rooms: number; isOver: () => boolean; following: ReturnType<Services['events']['follow']> };
type CallDependencies = { database: Pick<Database, 'system'>; events: Services['events']; log: Logger };

/**
 * Creates the registry of the pages that follow calls in this process, and notifies all processes of changes. A
 * notification says only that there is something to read; a page that misses it polls soon after.
 */
export function createCallServices({ database, events, log }: CallDependencies) {
  const rooms = new Map<string, Room>();
  const tenants = new Map<string, Tenant>();
  /** Identifies this process's own notifications, which PostgreSQL returns to it too. */
  const origin = newId();
  let pendingPayloads: string[] = [];
  let notifying: Promise<void> | null = null;
  let polling: NodeJS.Timeout | null = null;
  const all = () => [...rooms.values()].flatMap(({ listeners }) => [...listeners]);
  const notifyListener = (listener: Listener) => {
    listener.room();
    listener.signals();
  };

  events.pgListener?.addListener({
    channel: CHANNEL,
    onNotification(payload) {
      const [from, tenantId, appointmentId, seatId] = payload.split(' ');
      if (from !== origin && tenantId && appointmentId) notifyLocal(tenantId, appointmentId, seatId);
    },
    onOpen: () => all().forEach(notifyListener),
  });

  function notifyLocal(tenantId: string, appointmentId: string, seatId?: string): void {
    for (const listener of [...(rooms.get(`${tenantId} ${appointmentId}`)?.listeners ?? [])]) {
      if (!seatId) listener.room();
      else if (listener.seatId === seatId) listener.signals();
    }
  }

  /** Sends as few statements as possible, each with all gathered notifications. */
  async function notifyOthers(): Promise<void> {
    while (pendingPayloads.length > 0) {
      const payloads = [...new Set(pendingPayloads)];
      pendingPayloads = [];
      await database.system
        .$executeRaw`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as pending (payload)`.catch(
        (error: Error) => log.warn({ err: error.message }, 'other processes were not notified of a call'),
      );
    }
    notifying = null;
  }

  /** Follows the tenant's events, which report changes of the appointment itself. */
  function followTenant(tenantId: string): Tenant {
    const existing = tenants.get(tenantId);
    if (existing) return existing;
    let isOver = false;
    const following = events.follow(tenantId, {
      onEvents(changes) {
        for (const { type, objectId } of changes) if (type === 'appointment') notifyLocal(tenantId, objectId);
      },
      onEnd() {
        isOver = true;
        for (const room of [...rooms.values()])
          if (room.tenantId === tenantId) for (const listener of [...room.listeners]) listener.end();
      },
    });
    const tenant = { rooms: 0, isOver: () => isOver, following };
    tenants.set(tenantId, tenant);
    return tenant;
  }

  function leave(key: string, listener: Listener): void {
    const room = rooms.get(key);
    if (!room?.listeners.delete(listener) || room.listeners.size > 0) return;
    rooms.delete(key);
    const tenant = tenants.get(room.tenantId);
    if (tenant && --tenant.rooms === 0) {
      tenant.following.stop();
      tenants.delete(room.tenantId);
    }
    if (rooms.size > 0 || !polling) return;
    clearInterval(polling);
    polling = null;
  }

  return {
    /** Number of rooms followed in this process. */
    size: () => rooms.size,
    /** Notifies followers that the call has changed or, with a seat, that signals for it are waiting. */
    notify(tenantId: string, appointmentId: string, seatId?: string): void {
      notifyLocal(tenantId, appointmentId, seatId);
      pendingPayloads.push([origin, tenantId, appointmentId, ...(seatId ? [seatId] : [])].join(' '));
      notifying ??= notifyOthers();
    },
    /** Follows a call; an earlier follower with the same seat ends. `ready` resolves once no change can be missed. */
    follow(tenantId: string, appointmentId: string, listener: Listener): { ready: Promise<void>; stop(): void } {
      const key = `${tenantId} ${appointmentId}`;
      const tenant = followTenant(tenantId);
      let room = rooms.get(key);
      if (!room) {
        room = { tenantId, appointmentId, listeners: new Set() };
        rooms.set(key, room);
        tenant.rooms += 1;
      }
      const earlier = [...room.listeners].filter(({ seatId }) => seatId === listener.seatId);
      room.listeners.add(listener);
      for (const one of earlier) one.end();
      if (tenant.isOver()) listener.end();
      polling ??= setInterval(() => {
        if (!events.pgListener?.isListening()) all().forEach(notifyListener);
      }, POLL_INTERVAL_MS).unref();
      return { ready: tenant.following.ready, stop: () => leave(key, listener) };
    },
    /** True when another page follows with this seat. */
    isFollowed: (tenantId: string, appointmentId: string, seatId: string): boolean =>
      [...(rooms.get(`${tenantId} ${appointmentId}`)?.listeners ?? [])].some((listener) => listener.seatId === seatId),
    async close(): Promise<void> {
      for (const listener of all()) listener.end();
      if (polling) clearInterval(polling);
      await notifying;
    },
  };
}
