import type { components, paths } from './generated/api.ts';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** What the API gives, by name: `Schemas['Patient']`. */
export type Schemas = components['schemas'];
/** The stable code of a refusal. */
export type ApiErrorCode = Schemas['Errors']['errors'][number]['code'];
export type Fault = Schemas['Errors']['errors'][number];
/** What a refusal brings along for programs: `alternatives` of `slot_taken`, and more. */
export type ErrorMeta = NonNullable<Fault['meta']>;

/** The paths that take a method, as the reference writes them: `/patients/{id}`. */
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
    /** Ends the call; it then throws the signal's reason. */
    signal?: AbortSignal;
  } & (M extends 'post'
    ? {
        /** Your own, to repeat a call after a restart. Without it each call has one of its own. */
        idempotencyKey?: string;
      }
    : { idempotencyKey?: never });

/** Options may be left out where nothing has to be given. */
export type CallArguments<M extends Method, O> =
  Record<never, never> extends CallOptions<M, O> ? [options?: CallOptions<M, O>] : [options: CallOptions<M, O>];

type Success = 200 | 201 | 202;

/** What a call resolves to. */
export type BodyOf<O> = O extends { responses: infer Responses }
  ? {
      [Status in keyof Responses & Success]: Responses[Status] extends { content: { 'application/json': infer Body } }
        ? Body
        : never;
    }[keyof Responses & Success]
  : never;

/** Lists that come in pages. */
export type PagedPath = {
  [P in PathsWith<'get'>]: paths[P]['get'] extends { responses: { 200: { headers: { Link: unknown } } } } ? P : never;
}[PathsWith<'get'>];

export type ItemOf<P extends PagedPath> = BodyOf<Operation<'get', P>> extends (infer Item)[] ? Item : never;
