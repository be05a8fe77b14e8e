import type { Route } from '#contract/routes.ts';
import type { RestResponse } from '../rest-client.ts';
import type { Sample } from '../samples/sample.ts';

export const RELATIONS = ['own', 'same tenant', 'other tenant', 'absent'] as const;
export type Relation = (typeof RELATIONS)[number];
/** `own` is the first patient's. */
export const PRINCIPALS = [
  'application',
  'application without the scope',
  'other application',
  'patient',
  'other patient',
  'signed-in patient',
  'other signed-in patient',
  'signed-in patient elsewhere',
  'unauthenticated',
  'garbage',
  'patient signed out',
] as const;
export type Principal = (typeof PRINCIPALS)[number];

/** `patient` and `other patient` are impersonated; the signed-in ones have their own session. */
export const isPatient = (principal: Principal): boolean =>
  /patient/.test(principal) && principal !== 'patient signed out';
/** Returns true for principals of the tenant that has no provider connected. */
export const isOtherTenant = (principal: Principal): boolean =>
  principal === 'other application' || principal === 'signed-in patient elsewhere';

/** The records that each principal may access, on routes that are open to it. */
export const REACH: Record<Principal, Relation[]> = {
  application: ['own', 'same tenant'],
  'application without the scope': [],
  'other application': ['other tenant'],
  patient: ['own'],
  'other patient': ['same tenant'],
  'signed-in patient': ['own'],
  'other signed-in patient': ['same tenant'],
  'signed-in patient elsewhere': ['other tenant'],
  unauthenticated: [],
  garbage: [],
  'patient signed out': [],
};
const WITHOUT_A_TOKEN: Principal[] = ['unauthenticated', 'garbage', 'patient signed out'];

type Outcome = 'done' | 'let in' | 'nothing there' | 'empty list' | 'forbidden' | 'no valid token';

/** The expected outcome, derived from the route's contract alone. */
export function expected(route: Route, { kind }: Sample, principal: Principal, relation: Relation): Outcome {
  if (WITHOUT_A_TOKEN.includes(principal)) return 'no valid token';
  if (principal === 'application without the scope') return 'forbidden';
  if (isPatient(principal) && !route.patient) return 'forbidden';
  if (route.patientOnly && !isPatient(principal)) return 'forbidden';
  const done = isOtherTenant(principal) ? 'let in' : 'done';
  if (kind === 'self') return isPatient(principal) ? done : 'forbidden';
  if (kind === 'open' || REACH[principal].includes(relation)) return done;
  if (kind !== 'list') return 'nothing there';
  return isPatient(principal) ? 'forbidden' : 'empty list';
}

export function seen(
  { status, body }: RestResponse,
  wanted: Outcome,
  { meets }: Pick<Sample, 'meets'> = {},
): Outcome | string {
  if (status === 401) return 'no valid token';
  if (status === 403) return 'forbidden';
  if (status === 404) return wanted === 'empty list' ? wanted : 'nothing there';
  if (wanted === 'empty list' && status === 200 && body.length === 0) return wanted;
  if (status === 200 || status === 201 || status === 202) return wanted === 'let in' ? wanted : 'done';
  const isIn = wanted === 'done' || wanted === 'let in';
  if (isIn && meets !== undefined && body.errors[0].code === meets) return wanted;
  // No provider is connected there, so a 422 means that the request was authorised.
  if (wanted === 'let in' && status === 422) return wanted;
  const [error] = body.errors;
  return `${status} ${error.code}: ${error.detail}`;
}
