import type { z } from 'zod';
import type { Scope } from '../scopes.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One public endpoint: what dispatches it, documents it, and what the tests walk. */
export type Route = {
  method: Method;
  /** Below `/api/v1`, with `{name}` for parts that become input. */
  path: string;
  /** In `appRouter`. */
  procedure: string;
  summary: string;
  tag: string;
  input: z.ZodObject;
  output: z.ZodType;
  /** 200 unless said. */
  status?: 200 | 201;
  /** Says of a result that what was asked for is not done yet but goes on by itself: it is answered with 202 then. */
  goesOn?: (result: never) => boolean;
  /**
   * `page`: the procedure gives a Page, sent as a bare array with a Link header. `array`: a bare array. `feed`: the procedure gives a Feed, sent as a
   * bare array with headers that say how far it was read, and with `page` those of a page. `times`: the procedure gives FreeTimes, sent as a bare array with headers
   * that say whether that is all.
   */
  list?: 'page' | 'array' | 'feed' | 'times';
  /** The scope an application needs. */
  scope: Scope;
  /** Whether a patient may call it (for its own records), besides applications. */
  patient: boolean;
  /** Only a patient may call it, whatever an application's scopes. */
  patientOnly?: true;
  /** Of a POST: the changes that do what is asked for, as the audit log names them. Their record is the answer to a retry. */
  does?: readonly string[];
  /** The answer holds secrets that are kept nowhere: for a retry the verb runs again, and finds what it made by the key. */
  holdsSecrets?: true;
  /** The answer may be of a copy; it says of what age then. */
  mayBeOld?: true;
  /** The singular name under which a body may be wrapped. */
  wrapper?: string;
};
