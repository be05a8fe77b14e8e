import type { ZodError } from 'zod';
import type { Fault } from './errors.ts';

type Issue = ZodError['issues'][number];

/**
 * Turns what a schema refused into the contract's faults, one for each field. `parameters` names the top-level keys
 * that came from the path or the query; all others are pointed to in the body.
 */
export function zodFaults(error: ZodError, parameters: ReadonlySet<string>): Fault[] {
  return error.issues.flatMap((issue) => faultsOf(issue, parameters));
}

function faultsOf(issue: Issue, parameters: ReadonlySet<string>): Fault[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      code: 'unknown_parameter',
      detail: `"${key.slice(0, 100)}" is not known here.`,
      source: sourceOf([...path, key], parameters),
    }));
  const source = sourceOf(path, parameters);
  if (isMissing(issue))
    return [{ code: 'missing_parameter', detail: `"${path.at(-1) ?? 'body'}" is required.`, source }];
  const message = issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  return [{ code: 'invalid_parameter', detail: `"${path.join('.') || 'body'}": ${message}.`, source }];
}

const isMissing = (issue: Issue): boolean =>
  (issue.code === 'invalid_type' || issue.code === 'invalid_union' || issue.code === 'invalid_value') &&
  'input' in issue &&
  issue.input === undefined &&
  issue.path.length > 0;

function sourceOf(path: string[], parameters: ReadonlySet<string>): NonNullable<Fault['source']> {
  const [first] = path;
  if (first !== undefined && parameters.has(first)) return { parameter: first === 'filters' ? 'filters[]' : first };
  return { pointer: path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') };
}
