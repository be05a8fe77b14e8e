export { isStored, listEventRows, presentEvent, type StoredEvent } from './event-rows.ts';
export type { EventSubscription } from './followers.ts';
export { requireEvents } from './list-events.ts';
