import type { Prisma, PrismaClient } from '#generated/prisma/client.ts';
import {
  type AnyModel,
  type Models,
  type RunRead,
  type Statement,
  withDirectReads,
  withPlainKey,
} from './direct-reads.ts';
import type { Lent } from './tenant-pool.ts';

type Interactive = <Result>(
  work: (tx: Omit<Prisma.TransactionClient, '$transaction'>) => Promise<Result>,
  options?: { maxWait?: number; timeout?: number; isolationLevel?: Prisma.TransactionIsolationLevel },
) => Promise<Result>;
/** The database client of use cases. Transactions take a function, not a list of queries; see `scopedClient`. */
export type Db = Omit<PrismaClient, '$transaction' | '$extends' | '$on' | '$connect' | '$disconnect'> & {
  $transaction: Interactive;
  /**
   * Runs one statement outside of a transaction, without Prisma's engine, which costs more than a small read. Values
   * come as `pg` converts them. Those of texts, integers up to 32 bits, lists of them, booleans, bytes, JSON and `timestamptz` are the
   * same from Prisma; a statement returns no others.
   */
  $query<Row>(statement: Statement): Promise<Row[]>;
};

/** The body of a transaction, given its client. */
export type Work = (tx: object) => Promise<unknown>;
const QUERIES = new Set(['$queryRaw', '$queryRawUnsafe', '$executeRaw', '$executeRawUnsafe']);

/**
 * Wraps the shared client for one tenant: everything runs within that tenant's scope.
 *
 * Prisma batches concurrent `findUnique` calls of all callers into one query, and runs lists of queries together; both
 * would mix tenants in one scope. So `findUnique` becomes `findFirst`, which Prisma never batches, and a transaction
 * takes a function, which runs on its own connection. `transact` wraps each transaction, `query` is `$query`.
 */
export function scopedClient(
  base: PrismaClient,
  within: <Result>(work: () => Result, lent?: Lent) => Result,
  transact: (run: (work: Work, lent: Lent) => Promise<unknown>, work: Work) => Promise<unknown>,
  query: (statement: Statement) => Promise<unknown[]>,
  models: Models,
  read: RunRead,
): Db {
  const delegates = new Map<string, AnyModel>();
  const delegate = (name: string, model: AnyModel): AnyModel => {
    const run =
      (method: string) =>
      async (input: unknown): Promise<unknown> => {
        const [queryMethod, args] = method.startsWith('findUnique')
          ? [method.replace('Unique', 'First'), withPlainWhere(input as { where: object })]
          : [method, input];
        // Prisma's promises are lazy; `then` starts the query at once, within the scope.
        return within(() => model[queryMethod]!(args).then((result) => result));
      };
    const scoped = new Proxy(model, {
      get: (of, method) => (typeof of[method as string] === 'function' ? run(method as string) : of[method as string]),
    });
    const about = models.get(name);
    const reading = about ? withDirectReads(scoped, about, read) : scoped;
    delegates.set(name, reading);
    return reading;
  };
  return new Proxy(base as unknown as AnyModel, {
    get(client, name: string) {
      const cached = delegates.get(name);
      if (cached) return cached;
      const value = client[name] as unknown;
      if (name === '$transaction')
        return (work: unknown, options?: unknown) => {
          if (typeof work !== 'function') throw new Error('a transaction is a function here, not a list of queries');
          return transact((all, lent) => within(() => client.$transaction!(all, options), lent), work as Work);
        };
      if (name === '$query') return query;
      if (QUERIES.has(name)) return (...args: unknown[]) => within(() => client[name]!(...args).then((rows) => rows));
      if (typeof value === 'object' && value !== null && !name.startsWith('$'))
        return delegate(name, value as AnyModel);
      return undefined;
    },
  }) as unknown as Db;
}

/** A condition without a value is none for `findFirst`, so any row would match. */
function withPlainWhere({ where, ...rest }: { where: object }) {
  const plain = withPlainKey(where);
  if (Object.values(plain).includes(undefined)) throw new Error('a key has no value');
  return { ...rest, where: plain };
}
