import { type JsonSchema, nameOf, resolve, type Schemas } from './open-api.ts';

/** One row of a field list. */
export type Field = {
  name: string;
  /** `uuid`, `array of strings`, `integer or null`, … */
  type: string;
  required: boolean;
  description: string | null;
  /** `1 to 100 characters`, … */
  limits: string | null;
  /** The enum values. */
  values: string[];
  /** The fields of an object, or of the objects in an array. */
  fields: Field[];
};

/** Returns the fields of an object schema, in order. */
export function fieldsOf(schema: JsonSchema, schemas: Schemas): Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(name, property, required.includes(name), schemas),
  );
}

export function fieldOf(name: string, given: JsonSchema, required: boolean, schemas: Schemas): Field {
  const choices = choicesOf(given);
  const bare = choices.filter((choice) => choice.type !== 'null');
  const only = bare.length === 1 ? bare[0]! : given;
  const inner = only.items ?? only;
  const isNamed = inner.$ref !== undefined;
  return {
    name,
    type: choices.map((choice) => typeOf(choice)).join(' or '),
    required,
    description: given.description ?? only.description ?? null,
    limits: limitsOf(only),
    values: (inner.enum ?? (inner.const === undefined ? [] : [inner.const])).map(String),
    fields: isNamed ? [] : fieldsOf(resolve(inner, schemas), schemas),
  };
}

const choicesOf = (schema: JsonSchema): JsonSchema[] =>
  schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema]);

const FORMATS: Record<string, string> = { uri: 'url' };

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.items) return schema.items.$ref ? `array of ${typeOf(schema.items)}` : `array of ${typeOf(schema.items)}s`;
  if (schema.format) return FORMATS[schema.format] ?? schema.format;
  return schema.type?.toString() ?? (schema.enum || schema.const !== undefined ? 'string' : 'any');
}

function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }: JsonSchema): string | null {
  const said = [range(minimum, maximum), range(minLength, maxLength, 'characters'), range(minItems, maxItems, 'items')];
  return said.filter(Boolean).join(', ') || null;
}

/** A maximum of 2³¹ − 1 marks an id, whose limits are irrelevant to the reader. */
const ANY_ID = 2 ** 31 - 1;

function range(from: number | undefined, to: number | undefined, unit = ''): string | null {
  if (to === ANY_ID) return null;
  const text = (value: number) => value.toLocaleString('en-US');
  if (from !== undefined && to !== undefined) return `${text(from)} to ${text(to)} ${unit}`.trim();
  if (to !== undefined) return `at most ${text(to)} ${unit}`.trim();
  return from === undefined ? null : `at least ${text(from)} ${unit}`.trim();
}
