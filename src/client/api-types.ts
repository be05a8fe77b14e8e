import type { components, paths } from './generated/api.ts';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The resources of the API by name: `Schemas['Patient']`. */
export type Schemas = components['schemas'];
/** Error codes; stable. */
export type ApiErrorCode = Schemas['Errors']['errors'][number]['code'];
export type ApiErrorObject = Schemas['Errors']['errors'][number];
/** Structured data of an error: `alternatives` of `slot_taken`, and more. */
export type ErrorMeta = NonNullable<ApiErrorObject['meta']>;

/** The paths that support a method, as written in the API reference: `/patients/{id}`. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

export type Operation<M extends Method, P extends PathsWith<M>> = paths[P][M];

type PathPart<O> = O extends { parameters: { path: infer Path } } ? { path: Path } : { path?: never };
type QueryPart<O> = O extends { parameters: { query: infer Query } }
  ? { query: Query }
  : O extends { parameters: { query?: infer Query } }
    ? { query?: Query }
    : { query?: never };
type BodyPart<O> = O extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : O extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { body?: Body }
    : { body?: never };

export type CallOptions<M extends Method, O> = PathPart<O> &
  QueryPart<O> &
  BodyPart<O> & {
    /** Aborts the call, which then throws the signal's reason. */
    signal?: AbortSignal;
  } & (M extends 'post'
    ? {
        /** Your own key, to repeat a call after a restart. By default each call gets a new one. */
        idempotencyKey?: string;
      }
    : { idempotencyKey?: never });

/** Makes the options optional when no parameter is required. */
export type CallArguments<M extends Method, O> =
  Record<never, never> extends CallOptions<M, O> ? [options?: CallOptions<M, O>] : [options: CallOptions<M, O>];

type Success = 200 | 201 | 202;

/** The response body of a call. */
export type BodyOf<O> = O extends { responses: infer Responses }
  ? {
      [Status in keyof Responses & Success]: Responses[Status] extends { content: { 'application/json': infer Body } }
        ? Body
        : never;
    }[keyof Responses & Success]
  : never;

/** Paths of lists with pages. */
export type PagedPath = {
  [P in PathsWith<'get'>]: paths[P]['get'] extends { responses: { 200: { headers: { Link: unknown } } } } ? P : never;
}[PathsWith<'get'>];

export type ItemOf<P extends PagedPath> = BodyOf<Operation<'get', P>> extends (infer Item)[] ? Item : never;
