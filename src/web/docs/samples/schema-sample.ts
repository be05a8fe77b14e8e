import { type JsonSchema, resolve, type Schemas } from '../reference/open-api.ts';

const BY_FORMAT: Record<string, string> = {
  uuid: '01936f4b-0000-7000-8000-000000000000',
  date: '2026-11-23',
  'date-time': '2026-11-23T14:00:00Z',
  email: 'ada@example.test',
  uri: 'https://example.test/',
};

/**
 * Returns a deterministic sample value for a schema: its first example if it has one. Optional properties are included
 * only with `optional`, if they have an example and are not deprecated.
 */
export function sampleOf(unresolved: JsonSchema, schemas: Schemas, options: { optional: boolean }): unknown {
  const schema = resolve(unresolved, schemas);
  const { examples, anyOf, items, properties = {}, required = [] } = schema;
  if (examples) return examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (anyOf?.[0]) return sampleOf(anyOf[0], schemas, options);
  const isShown = (name: string) =>
    required.includes(name) ||
    (options.optional && properties[name]?.examples !== undefined && !properties[name].deprecated);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => isShown(name))
          .map(([name, property]) => [name, sampleOf(property, schemas, options)]),
      );
    case 'array':
      return items ? [sampleOf(items, schemas, options)] : [];
    case 'string':
      return BY_FORMAT[schema.format ?? ''] ?? 'text';
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    default:
      return null;
  }
}
