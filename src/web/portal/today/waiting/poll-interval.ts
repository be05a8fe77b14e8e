/** A patient who leaves without notice causes no event, so polling is more frequent while a patient waits. */
const WHILE_WAITING_MS = 10_000;
/** Arrivals come as live events; this covers a connection to the service that broke unnoticed. */
const OTHERWISE_MS = 20_000;

/** Milliseconds until the waiting patients are requested again; `waiting` is undefined before the first response. */
export const pollIntervalMs = (waiting: readonly unknown[] | undefined): number =>
  waiting?.length ? WHILE_WAITING_MS : OTHERWISE_MS;
