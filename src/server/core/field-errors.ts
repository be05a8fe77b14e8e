import type { ZodError } from 'zod';
import { MAX_ERRORS } from '#contract/errors.ts';
import { issueMessage } from '#contract/issue-message.ts';
import { type Fault, MAX_NAME_BYTES, onePerField, pointerTo, truncate } from './errors.ts';

type Issue = ZodError['issues'][number];

/**
 * Turns a schema's issues into the contract's faults, one per field, at most `MAX_ERRORS`. `parameters` names the
 * top-level keys from the path or the query; all others get a pointer into the body. `input` is the parsed value: a
 * field that it lacks is missing rather than invalid.
 */
export function fieldErrors(error: ZodError, parameters: ReadonlySet<string>, input?: unknown): Fault[] {
  const faults: Fault[] = [];
  for (const issue of error.issues.slice(0, MAX_ERRORS)) faults.push(...faultsOfIssue(issue, parameters, input));
  return onePerField(faults).slice(0, MAX_ERRORS);
}

function faultsOfIssue(issue: Issue, parameters: ReadonlySet<string>, input: unknown): Fault[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_ERRORS).map((key) => ({
      code: 'unknown_parameter',
      detail: `"${truncate(key, MAX_NAME_BYTES)}" is not known here.`,
      source: sourceOf([...path, key], parameters),
    }));
  const source = sourceOf(path, parameters);
  const name = truncate(path.join('.'), MAX_NAME_BYTES) || 'body';
  if (path.length > 0 && input !== undefined && isMissing(input, issue.path))
    return [
      { code: 'missing_parameter', detail: `"${truncate(path.at(-1) ?? '', MAX_NAME_BYTES)}" is required.`, source },
    ];
  // A custom message may already end in a full stop.
  const message = (issue.message.charAt(0).toLowerCase() + issue.message.slice(1)).replace(/\.$/, '');
  const people = issueMessage(issue);
  return [{ code: 'invalid_parameter', detail: `"${name}": ${message}.`, people, source }];
}

/** Returns whether the parent object or list lacks the value. A text that is split into a list lacks nothing. */
function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  const parent = valueAt(input, path.slice(0, -1));
  return (parent === undefined || typeof parent === 'object') && valueAt(input, path) === undefined;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}

function sourceOf(path: string[], parameters: ReadonlySet<string>): NonNullable<Fault['source']> {
  const [first] = path;
  if (first !== undefined && parameters.has(first)) return { parameter: first === 'filters' ? 'filters[]' : first };
  return { pointer: pointerTo(path) };
}
