import { z } from 'zod';
import { DateOrInstant, integer, storable } from './conventions.ts';

const OPERATORS = ['eq', 'not_eq', 'matches', 'does_not_match', 'gt', 'gteq', 'lt', 'lteq', 'in', 'not_in'] as const;
const ORDERED = new Set(['eq', 'not_eq', 'gt', 'gteq', 'lt', 'lteq', 'in', 'not_in']);
const STRING = new Set(['eq', 'not_eq', 'matches', 'does_not_match', 'in', 'not_in']);

/** Kinds of filter fields: `datetime` and `integer` can be compared; `string` can be matched. */
export type FieldKind = 'datetime' | 'integer' | 'string';
export type Filter = {
  field: string;
  operator: (typeof OPERATORS)[number];
  value: string | number | (string | number)[];
};

const scalar = (kind: FieldKind) => {
  if (kind === 'integer') return z.int();
  if (kind === 'datetime') return DateOrInstant;
  return storable(1000);
};

/**
 * The `filters[]` parameter: JSON texts (or objects, from the portal) `{"field","operator","value"}`. Rejects unknown
 * fields, operators that the field does not support and values of another type.
 */
export function filters(fields: Record<string, FieldKind>) {
  const shape = z.strictObject({ field: z.string(), operator: z.enum(OPERATORS), value: z.unknown() });
  const one = z.union([z.string().max(10_000), shape]).transform((raw, ctx): Filter => {
    const fail = (message: string) => {
      ctx.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    let json: unknown = raw;
    if (typeof raw === 'string') {
      try {
        json = JSON.parse(raw);
      } catch {
        return fail('must be a JSON object {"field","operator","value"}');
      }
    }
    const parsed = shape.safeParse(json);
    if (!parsed.success) return fail('must be a JSON object {"field","operator","value"} with a known operator');
    const { field, operator, value } = parsed.data;
    const kind = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (!kind) return fail(`cannot filter on "${field}"; the fields are ${Object.keys(fields).join(', ')}`);
    if (!(kind === 'string' ? STRING : ORDERED).has(operator)) return fail(`"${field}" does not take "${operator}"`);
    const schema = operator === 'in' || operator === 'not_in' ? z.array(scalar(kind)).min(1).max(1000) : scalar(kind);
    const typed = schema.safeParse(value, { reportInput: true });
    if (!typed.success) {
      const [{ input, message } = { input: undefined, message: '' }] = typed.error.issues;
      const why = kind === 'datetime' && typeof input === 'string';
      return fail(
        `"${field}" with "${operator}" takes ${why ? `a date or an instant: ${message}` : 'another type of value'}`,
      );
    }
    return { field, operator, value: typed.data };
  });
  return {
    filters: z
      .array(one)
      .max(20)
      .optional()
      .meta({
        override: { type: 'array', maxItems: 20, items: { type: 'string' } },
        description: `URL-encoded JSON \`{"field","operator","value"}\`. Fields: ${Object.keys(fields).join(', ')}.`,
      }),
    filters_operator: z
      .enum(['and', 'or'])
      .optional()
      .meta({ description: 'How several filters are combined; the default is `and`.' }),
  };
}

/** A `by_<field>` parameter: matches any of the comma-separated values; a repeated parameter must match each time. */
export const by = () =>
  z
    .union([storable(4000), z.array(storable(4000)).max(20)])
    .transform((value) => (Array.isArray(value) ? value : [value]).map((csv) => csv.split(',').map((v) => v.trim())))
    .meta({ override: { type: 'string' }, description: 'Any of these, comma-separated.' })
    .optional();

/** The same as `by`, for integers. */
export const byInteger = (min: number, max: number) => {
  const one = integer(min, max);
  return by()
    .unwrap()
    .transform((all, ctx) =>
      all.map((values) =>
        values.map((value) => {
          const read = one.safeParse(value);
          if (read.success) return read.data;
          ctx.addIssue({ code: 'custom', message: `must be whole numbers from ${min} to ${max}, comma-separated` });
          return z.NEVER;
        }),
      ),
    )
    .meta({ override: { type: 'string' }, description: 'Any of these, comma-separated.', examples: ['34,35'] })
    .optional();
};

/** `sort_by`: comma-separated fields; a leading `-` sorts in descending order. */
export const sortBy = <Field extends string>(fields: readonly Field[]) =>
  z
    .string()
    .transform((csv, ctx) => {
      const keys = csv.split(',').map((key) => {
        const field = key.trim();
        return { field: field.replace(/^-/, '') as Field, descending: field.startsWith('-') };
      });
      if (!keys.every(({ field }) => fields.includes(field)) || keys.length > 2) {
        ctx.addIssue({ code: 'custom', message: `must be a list of ${fields.join(', ')}, each with - for descending` });
        return z.NEVER;
      }
      return keys;
    })
    .meta({
      override: { type: 'string' },
      description: `${fields.map((field) => `\`${field}\``).join(', ')}, comma-separated; a leading \`-\` sorts in descending order. The default is \`-created_at\`.`,
    })
    .optional();
