import type { ZodError } from 'zod';
import { type Fault, onePerField } from './errors.ts';

type Issue = ZodError['issues'][number];

/**
 * Turns what a schema refused into the contract's faults, one for each field. `parameters` names the top-level keys
 * that came from the path or the query; all others are pointed to in the body. `input` is what was parsed: a field
 * that is not in it at all is missing rather than invalid.
 */
export function zodFaults(error: ZodError, parameters: ReadonlySet<string>, input?: unknown): Fault[] {
  return onePerField(error.issues.flatMap((issue) => faultsOf(issue, parameters, input)));
}

function faultsOf(issue: Issue, parameters: ReadonlySet<string>, input: unknown): Fault[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      code: 'unknown_parameter',
      detail: `"${key.slice(0, 100)}" is not known here.`,
      source: sourceOf([...path, key], parameters),
    }));
  const source = sourceOf(path, parameters);
  if (path.length > 0 && input !== undefined && valueAt(input, issue.path) === undefined)
    return [{ code: 'missing_parameter', detail: `"${path.at(-1)}" is required.`, source }];
  const message = issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  return [{ code: 'invalid_parameter', detail: `"${path.join('.') || 'body'}": ${message}.`, source }];
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}

function sourceOf(path: string[], parameters: ReadonlySet<string>): NonNullable<Fault['source']> {
  const [first] = path;
  if (first !== undefined && parameters.has(first)) return { parameter: first === 'filters' ? 'filters[]' : first };
  return { pointer: path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') };
}
