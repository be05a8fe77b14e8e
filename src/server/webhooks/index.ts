export { findOldestAwaitedEvent } from './endpoint.ts';
export { switchOffApplicationEndpoints } from './switch-off-application-endpoints.ts';
