import type { z } from 'zod';
import type { AuditAction } from '../audit-actions.ts';
import type { Scope } from '../scopes.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

type Endpoint = {
  /** Below `/api/v1`; `{name}` is an input field. */
  path: string;
  /** The name in `appRouter`. */
  procedure: string;
  summary: string;
  tag: string;
  input: z.ZodObject;
  output: z.ZodType;
  /** The default is 200. */
  status?: 200 | 201;
  /** Whether the requested change is still in progress and continues in the background: the response is then a 202. */
  isInProgress?: (result: never) => boolean;
  /**
   * Every list is sent as a bare array. `page`: the procedure returns a Page; adds a Link header. `feed`: the procedure
   * returns a Feed; adds headers on how far it was read, and with `page` those of a page. `times`: the procedure
   * returns FreeSlots; adds headers on whether the list is complete.
   */
  list?: 'page' | 'array' | 'feed' | 'times';
  /** The scope that an application needs. */
  scope: Scope;
  /** Whether a patient may call it (for their own records), in addition to applications. */
  patient: boolean;
  /** Only patients may call it, regardless of an application's scopes. */
  patientOnly?: true;
  /**
   * The response contains secrets that are not stored: for a retry, the verb runs again and finds its first result by
   * the key.
   */
  holdsSecrets?: true;
  /** The response may come from a copy and then states its age. */
  mayBeStale?: true;
  /** The singular name under which a body may be wrapped. */
  wrapper?: string;
};

/** The audit actions of the requested change, whose outcome is the response to a retry. */
type Post = { method: 'POST'; does: readonly AuditAction[] };
type Other = { method: Exclude<Method, 'POST'>; does?: never };
/** A public endpoint: used for dispatch, for documentation and by the tests. */
export type Route = Endpoint & (Post | Other);
