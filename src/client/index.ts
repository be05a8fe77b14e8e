export type { ApiErrorCode, CallOptions, ErrorMeta, Schemas } from './api-types.ts';
export { CarelaneApiError, type CarelaneErrorCode } from './carelane-api-error.ts';
export { type Client, type ClientOptions, createClient, type FullAnswer } from './create-client.ts';
export {
  type ApplicationOptions,
  type Auth,
  clientCredentials,
  impersonation,
  sdkSession,
  type TokenSource,
} from './token-sources.ts';
