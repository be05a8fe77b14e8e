/** The part of JSON Schema that the reference uses. */
export type JsonSchema = {
  $ref?: string;
  /** An array permits any of its types. */
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  description?: string;
  examples?: unknown[];
  /** Accepted for older clients, but not shown. */
  deprecated?: boolean;
  /** Required for applications, though optional for patients. */
  'x-needed-by-applications'?: boolean;
};
/** Named schemas, as in `components.schemas`. */
export type Schemas = Record<string, JsonSchema>;

type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
};
type Content = { 'application/json': { schema: JsonSchema } };
type Header = { description: string; schema: JsonSchema };
export type OpenApiOperation = {
  operationId: string;
  summary: string;
  tags: [string];
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { $ref?: string; headers?: Record<string, { $ref: string }>; content?: Content }>;
  'x-error-codes': string[];
};

/** The part of the OpenAPI document that the reference uses. */
export type OpenApiDocument = {
  servers: [{ url: string }];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Schemas; headers: Record<string, Header> };
};

/** The component's name in a `$ref`. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

export function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (!schema.$ref) return schema;
  const resolved = schemas[nameOf(schema.$ref)];
  if (!resolved) throw new Error(`The document has no ${schema.$ref}`);
  return resolved;
}
