import { z } from 'zod';
import type { Metadata } from '../objects.ts';
import { invalidRequest } from './errors.ts';

/** Parameter types of form-encoded requests: every leaf is text, and empty text means "unset". */
export const text = z.string().min(1).max(5000);
export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/, { error: ({ input }) => `Invalid integer: ${input}` })
  .transform(Number);
export const decimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/, { error: ({ input }) => `Invalid decimal: ${input}` })
  .transform(Number);
export const flag = z
  .enum(['true', 'false'], { error: ({ input }) => `Invalid boolean: ${input}` })
  .transform((value) => value === 'true');
export const currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/)
  .transform((value) => value.toLowerCase());
export const unset = z.literal('').transform(() => null);
/** Values by key; an empty value deletes the key, an empty hash deletes all. */
export const metadata = z.union([
  unset,
  z
    .record(z.string().max(40), z.string().max(500))
    .refine((values) => Object.keys(values).length <= 50, 'Metadata can hold up to 50 keys'),
]);
export const range = z.union([
  integer.transform((value) => ({ gte: value, lte: value })),
  z.strictObject({
    gt: integer.optional(),
    gte: integer.optional(),
    lt: integer.optional(),
    lte: integer.optional(),
  }),
]);
export const paging = {
  limit: integer.pipe(z.number().min(1).max(100)).optional(),
  starting_after: text.optional(),
  ending_before: text.optional(),
};

export type Shape = z.ZodRawShape;
export type Input<S extends Shape> = z.output<z.ZodObject<S>>;

/**
 * Validates parameters strictly.
 * @throws ErrorReply with Stripe's codes `parameter_unknown`, `parameter_missing`, `parameter_invalid_*`
 */
export function readParams<S extends Shape>(shape: S, input: unknown): Input<S> & { expand: string[] } {
  const schema = z.strictObject({ ...shape, expand: z.array(text).max(20).default([]) });
  const result = schema.safeParse(input);
  if (result.success) return result.data as Input<S> & { expand: string[] };
  throw paramError(deepestIssue(result.error.issues[0]!), input);
}

type Issue = z.core.$ZodIssue;

/** For a union, returns the failure of the alternative that matched furthest. */
function deepestIssue(issue: Issue): Issue {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue;
  const inner = issue.errors.map((issues) => deepestIssue(issues[0]!)).sort((a, b) => b.path.length - a.path.length);
  const deepest = inner.find(({ code }) => code === 'unrecognized_keys') ?? inner[0]!;
  return { ...deepest, path: [...issue.path, ...deepest.path] };
}

function paramError(issue: Issue, input: unknown) {
  const param = bracketed(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => bracketed([...issue.path, key]));
    const message = `Received unknown parameter${names.length > 1 ? 's' : ''}: ${names.join(', ')}`;
    return invalidRequest(message, { code: 'parameter_unknown', param: names[0] });
  }
  const value = issue.path.reduce<unknown>(
    (node, key) => (node as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
  if (value === undefined) {
    return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  if (value === '') {
    const message = `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset.`;
    return invalidRequest(message, { code: 'parameter_invalid_empty', param });
  }
  if (issue.code === 'invalid_value') {
    const message = issue.message.startsWith('Invalid boolean')
      ? issue.message
      : `Invalid ${param}: must be one of ${issue.values.join(', ')}`;
    return invalidRequest(message, { param });
  }
  if (issue.message.startsWith('Invalid integer')) {
    return invalidRequest(issue.message, { code: 'parameter_invalid_integer', param });
  }
  return invalidRequest(`Invalid ${param}: ${issue.message}`, { param });
}

function bracketed(path: PropertyKey[]): string {
  return path.map((key, index) => (index === 0 ? String(key) : `[${String(key)}]`)).join('');
}

/** Merges metadata as Stripe does: keys are added or replaced, an empty value deletes its key, null deletes all. */
export function mergeMetadata(current: Metadata, update: Metadata | null | undefined): Metadata {
  if (update === undefined) return current;
  if (update === null) return {};
  return Object.fromEntries(Object.entries({ ...current, ...update }).filter(([, value]) => value !== ''));
}
