import pg from 'pg';
import type { Prisma } from '#generated/prisma/client.ts';

/**
 * Runs plain reads of one table as SQL, without Prisma's engine, which takes three to ten times as long as the
 * statement: its query compiler, and the conversion of each value through JSON. Callers use Prisma's client as always;
 * reads of another form (relations, cursors, JSON filters) go to Prisma. `direct-reads.db.test.ts`
 * compares the results.
 */

type Field = { column: string; type: string };
/** A table and its columns, by Prisma's names. */
type Model = { table: string; fields: ReadonlyMap<string, Field> };
/** By the name of the client's property, such as `patientPhone`. */
export type Models = ReadonlyMap<string, Model>;

export type AnyModel = Record<string, (...args: unknown[]) => Promise<unknown>>;
/** Returns null when the statement cannot run any more: Prisma then throws its own error. */
export type RunRead = (statement: ReadStatement) => Promise<pg.QueryResult> | null;
/** A statement with `$1`, as `Prisma.sql` makes it. */
export type Statement = Pick<Prisma.Sql, 'text' | 'values'>;
export type ReadStatement = Statement & { types: pg.CustomTypesConfig };

type RuntimeField = { name: string; kind: string; type: string; dbName?: string };
type RuntimeModels = Record<string, { dbName: string | null; fields: RuntimeField[] }>;

/** The types whose values `PARSERS` and pg return as Prisma does. A model with another is left to Prisma. */
const TYPES = new Set(['String', 'Int', 'BigInt', 'Boolean', 'DateTime', 'Bytes', 'Json']);

/** @throws when this version of Prisma describes its models in another way. */
export function modelsOf(client: object): Models {
  const described = (client as { _runtimeDataModel?: { models?: RuntimeModels } })._runtimeDataModel?.models;
  if (!described) throw new Error('this version of Prisma has no _runtimeDataModel.models in its client');
  const models = new Map<string, Model>();
  for (const [name, { dbName, fields }] of Object.entries(described)) {
    const own = fields.filter(({ kind }) => kind !== 'object');
    if (own.some(({ kind, type }) => kind !== 'scalar' || !TYPES.has(type))) continue;
    const columns = own.map((field): [string, Field] => [
      field.name,
      { column: `"${field.dbName ?? field.name}"`, type: field.type },
    ]);
    const model = { table: `"${dbName ?? name}"`, fields: new Map(columns) };
    models.set(name.charAt(0).toLowerCase() + name.slice(1), model);
  }
  return models;
}

/** Returns a model of Prisma's client whose plain reads are run by `run`. */
export function withDirectReads(model: AnyModel, about: Model, run: RunRead): AnyModel {
  return new Proxy(model, {
    get(of, method: string) {
      const original = of[method] as AnyModel[string] | undefined;
      if (!METHODS.has(method)) return original;
      return (args?: unknown) => {
        const statement = statementOf(about, method, (args ?? {}) as Arguments);
        const result = statement && run(statement);
        return result
          ? result.then((rows) => resultOf(method, rows) ?? absent(method, original, args))
          : original!(args);
      };
    },
  });
}

/** Returns a transaction's client whose plain reads are run by `run`, on the transaction's connection. */
export function transactionWithDirectReads(tx: object, models: Models, run: RunRead): object {
  const known = new Map<string, unknown>();
  return new Proxy(tx as Record<string, unknown>, {
    get(of, name: string) {
      if (known.has(name)) return known.get(name);
      const about = models.get(name);
      const value: unknown = about ? withDirectReads(of[name] as AnyModel, about, run) : of[name];
      known.set(name, typeof value === 'function' ? value.bind(of) : value);
      return known.get(name);
    },
  });
}

const METHODS = new Set(['findFirst', 'findFirstOrThrow', 'findUnique', 'findUniqueOrThrow', 'findMany', 'count']);

/** Prisma knows best which error says that there is no such row. */
const absent = (method: string, original: AnyModel[string] | undefined, args: unknown) =>
  method.endsWith('OrThrow') ? original!(args) : null;

type Arguments = Record<string, unknown>;
const KNOWN = new Set(['where', 'select', 'orderBy', 'take', 'skip']);

function statementOf(model: Model, method: string, args: Arguments): ReadStatement | null {
  if (Object.keys(args).some((name) => args[name] !== undefined && !KNOWN.has(name))) return null;
  const { select, orderBy, take, skip } = args;
  const isOne = method !== 'findMany' && method !== 'count';
  const values: unknown[] = [];
  const isByKey = method.startsWith('findUnique');
  const where = isByKey ? withPlainKey(args.where as object) : args.where;
  // A condition without a value is none; a key without a value is an error.
  if (isByKey && Object.values(where as object).includes(undefined)) return null;
  const condition = where === undefined ? 'true' : conditionOf(model, where as object, values);
  const order = orderBy === undefined ? '' : orderOf(model, orderBy);
  if (condition === null || order === null || !isCount(take) || !isCount(skip)) return null;
  const filtered = `from ${model.table} where ${condition || 'true'}`;
  if (method === 'count') {
    if (select !== undefined || skip !== undefined) return null;
    const text =
      take === undefined
        ? `select count(*)::int as count ${filtered}`
        : `select count(*)::int as count from (select ${filtered} limit ${place(values, take)}) t`;
    return { text, values, types };
  }
  // Without an order, Prisma sorts a limited list by its key.
  if ((take !== undefined || skip !== undefined) && (isOne || !order)) return null;
  const columns = columnsOf(model, select);
  if (!columns) return null;
  const limit = isOne ? ' limit 1' : take === undefined ? '' : ` limit ${place(values, take)}`;
  const offset = skip === undefined ? '' : ` offset ${place(values, skip)}`;
  return { text: `select ${columns} ${filtered}${order}${limit}${offset}`, values, types };
}

const isCount = (value: unknown): boolean => value === undefined || (Number.isInteger(value) && (value as number) >= 0);

/** Adds a value and returns its placeholder. */
const place = (values: unknown[], value: unknown): string => `$${values.push(value)}`;

/** Turns `{tenantId_id: {tenantId, id}}`, Prisma's form of a compound key, into `{tenantId, id}`. */
export const withPlainKey = (where: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(where).flatMap(([name, value]) =>
      name.includes('_') ? Object.entries(value as object) : [[name, value]],
    ),
  );

function columnsOf({ fields }: Model, select: unknown): string | null {
  if (select === undefined) return [...fields].map(selected).join(', ');
  const chosen = Object.entries(select as object).filter(([, value]) => value !== undefined && value !== false);
  if (chosen.length === 0 || chosen.some(([name, value]) => value !== true || !fields.has(name))) return null;
  return chosen.map(([name]) => selected([name, fields.get(name)!])).join(', ');
}
const selected = ([name, { column }]: [string, Field]): string => `${column} as "${name}"`;

function orderOf({ fields }: Model, orderBy: unknown): string | null {
  const terms: string[] = [];
  for (const part of Array.isArray(orderBy) ? orderBy : [orderBy])
    for (const [name, direction] of Object.entries(part as object)) {
      const field = fields.get(name);
      if (!field || (direction !== 'asc' && direction !== 'desc')) return null;
      terms.push(`${field.column} ${direction}`);
    }
  return terms.length === 0 ? null : ` order by ${terms.join(', ')}`;
}

/** Returns the conditions joined by AND, empty if there are none; null for one that is not known here. */
function conditionOf(model: Model, where: object, values: unknown[]): string | null {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(where)) {
    if (value === undefined) continue;
    const isGroup = name === 'AND' || name === 'OR' || name === 'NOT';
    const part = isGroup ? groupOf(model, name, value, values) : ofField(model.fields.get(name), value, values);
    if (part === null) return null;
    parts.push(part);
  }
  return parts.join(' and ');
}

function groupOf(model: Model, name: 'AND' | 'OR' | 'NOT', value: unknown, values: unknown[]): string | null {
  const parts: string[] = [];
  for (const each of Array.isArray(value) ? value : [value]) {
    const part = typeof each === 'object' && each !== null ? conditionOf(model, each, values) : null;
    if (part === null || (part === '' && name !== 'AND')) return null;
    if (part) parts.push(name === 'NOT' ? `not (${part})` : `(${part})`);
  }
  if (parts.length === 0) return name === 'OR' ? 'false' : 'true';
  return `(${parts.join(name === 'OR' ? ' or ' : ' and ')})`;
}

function ofField(field: Field | undefined, value: unknown, values: unknown[]): string | null {
  if (!field || field.type === 'Json') return null;
  if (value === null) return `${field.column} is null`;
  if (isScalar(value)) return `${field.column} = ${place(values, parameterOf(value))}`;
  if (typeof value !== 'object' || Array.isArray(value)) return null;
  const parts: string[] = [];
  for (const [operator, operand] of Object.entries(value)) {
    if (operand === undefined) continue;
    const part = comparisonOf(field.column, operator, operand, values);
    if (part === null) return null;
    parts.push(part);
  }
  return parts.length === 0 ? null : parts.join(' and ');
}

const COMPARISONS: Record<string, string> = { equals: '=', not: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' };

function comparisonOf(column: string, operator: string, operand: unknown, values: unknown[]): string | null {
  if (operator === 'in' || operator === 'notIn') {
    if (!Array.isArray(operand) || !operand.every(isScalar)) return null;
    const list = place(values, operand.map(parameterOf));
    return operator === 'in' ? `${column} = any(${list})` : `${column} <> all(${list})`;
  }
  const sign = COMPARISONS[operator];
  if (!sign) return null;
  if (operand === null) {
    if (operator === 'equals') return `${column} is null`;
    return operator === 'not' ? `${column} is not null` : null;
  }
  return isScalar(operand) ? `${column} ${sign} ${place(values, parameterOf(operand))}` : null;
}

/** Dates beyond these have another form in PostgreSQL. */
const [EARLIEST, LATEST] = [Date.parse('0001-01-01'), Date.parse('9999-12-31')];

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  typeof value === 'bigint' ||
  Number.isInteger(value) ||
  (value instanceof Date && value.getTime() >= EARLIEST && value.getTime() < LATEST) ||
  value instanceof Uint8Array;

/** pg would send a date in this process's zone. */
const parameterOf = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

/** The usual form, which JavaScript parses in a fifth of the time. */
const IN_UTC = /^\d{4}-[\d-]{5} [\d:.]+\+00$/;
const pgDate = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text') as (text: string) => Date;
const pgBytes = pg.types.getTypeParser(pg.types.builtins.BYTEA, 'text') as (text: string) => Buffer;
/** Types that pg returns in another form than Prisma, or slowly. */
const PARSERS: Record<number, (text: string) => unknown> = {
  17: (bytea) => new Uint8Array(pgBytes(bytea)),
  20: BigInt,
  1016: (bigints) => (bigints === '{}' ? [] : bigints.slice(1, -1).split(',').map(BigInt)),
  1082: (date) => new Date(`${date}T00:00:00Z`),
  1114: (timestamp) => new Date(`${timestamp.replace(' ', 'T')}Z`),
  1184: (text) => (IN_UTC.test(text) ? new Date(`${text.slice(0, -3).replace(' ', 'T')}Z`) : pgDate(text)),
};
/** Lists of texts, integers, bigints and UUIDs. */
const LISTS = new Set([1009, 1007, 1016, 2951]);

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') => PARSERS[oid] ?? pg.types.getTypeParser(oid, format)) as never,
};

function resultOf(method: string, { rows, fields }: pg.QueryResult): unknown {
  if (method === 'count') return (rows[0] as { count: number }).count;
  for (const { name, dataTypeID } of fields) if (LISTS.has(dataTypeID)) for (const row of rows) row[name] ??= [];
  return method === 'findMany' ? rows : rows[0];
}
