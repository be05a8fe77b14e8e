import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum, DriverAdapterError } from '@prisma/driver-adapter-utils';
import { parse } from 'pg-connection-string';
import { createDatabase, dropDatabase } from './connection.mjs';

// pg_type.oid; the catalogue uses the one-byte type "char", for which the adapter (7.10) has no mapping.
const CHAR_OID = 18;
const TEXT_OID = 25;

/**
 * Separate fields, because pg lets `connectionString` override `database`, so the shadow database would be the main
 * one. One connection, because the engine's advisory lock belongs to a session.
 */
function poolConfig(url, database) {
  const { host, port, user, password, ssl, database: own } = parse(url);
  return { host, port: Number(port || 5432), user, password, database: database ?? own, max: 1, ...(ssl && { ssl }) };
}

/** Reads "char" columns as text, and restores their column type. */
function readCharColumns(queryable) {
  const charColumns = new WeakMap();
  const performIO = queryable.performIO.bind(queryable);
  const queryRaw = queryable.queryRaw.bind(queryable);
  queryable.performIO = async (query) => {
    const result = await performIO(query);
    if (Array.isArray(result.fields)) {
      const columns = result.fields.flatMap((field, index) => (field.dataTypeID === CHAR_OID ? [index] : []));
      charColumns.set(result.rows, columns);
      for (const index of columns) result.fields[index].dataTypeID = TEXT_OID;
    }
    return result;
  };
  queryable.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const index of charColumns.get(result.rows) ?? []) result.columnTypes[index] = ColumnTypeEnum.Character;
    return result;
  };
  return queryable;
}

/**
 * The adapter splits scripts at each semicolon, which breaks function bodies; the simple protocol accepts a whole file.
 */
function runWholeScripts(adapter) {
  adapter.executeScript = async (sql) => {
    try {
      await adapter.underlyingDriver().query(sql);
    } catch (error) {
      const { code = 'N/A', severity = 'ERROR', message, detail, column, hint } = error;
      const original = { originalCode: code, originalMessage: message };
      throw new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint, ...original });
    }
  };
}

async function connect(config, afterDispose = async () => {}) {
  const adapter = readCharColumns(await new PrismaPg(config).connect());
  runWholeScripts(adapter);
  const startTransaction = adapter.startTransaction.bind(adapter);
  adapter.startTransaction = async (isolation) => readCharColumns(await startTransaction(isolation));
  const dispose = adapter.dispose.bind(adapter);
  adapter.dispose = async () => {
    await dispose();
    await afterDispose();
  };
  return adapter;
}

/**
 * The adapter cannot drop its own shadow database while its pool is connected, so ours is dropped after its pool
 * closed.
 */
async function connectToShadow(url, shadowUrl) {
  if (shadowUrl) return connect(poolConfig(shadowUrl));
  const name = `prisma_migrate_shadow_db_${crypto.randomUUID()}`;
  await createDatabase(url, name, 'TEMPLATE template0');
  return connect(poolConfig(url, name), () => dropDatabase(url, name));
}

/** The factory of the engine's database connections. */
export function adapterFactory(url, shadowUrl) {
  return bindMigrationAwareSqlAdapterFactory({
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: () => connect(poolConfig(url)),
    connectToShadowDb: () => connectToShadow(url, shadowUrl),
  });
}
