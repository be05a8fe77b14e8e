#!/usr/bin/env node
// Prisma's CLI starts a native "schema engine" that it would download. This program replaces it: the same JSON-RPC over
// standard input and output, served by the engine's WebAssembly build from npm. `prisma.config.ts` sets it in
// PRISMA_SCHEMA_ENGINE_BINARY.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { adapterFactory } from './schema-engine/adapter.mjs';
import { createDatabase, dropDatabase, maintenanceUrl, whyUnreachable } from './schema-engine/connection.mjs';
import { engineVersion, isPanic, loadEngine, panicMessage } from './schema-engine/wasm.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    datasource: { type: 'string' },
    datamodels: { type: 'string', multiple: true },
    'enabled-preview-features': { type: 'string' },
    'extension-types': { type: 'string' },
    version: { type: 'boolean' },
  },
});
const datasource = options.datasource ? JSON.parse(options.datasource) : {};

/**
 * Runs `schema-engine cli <command>`.
 * @returns the exit code
 */
async function runCommand(command) {
  const failure =
    command === 'can-connect-to-database'
      ? await whyUnreachable(datasource.url)
      : await (command === 'create-database' ? createDatabase : dropDatabase)(datasource.url).then(
          () => null,
          (error) => ({ code: 'P1000', message: error.message }),
        );
  if (!failure) return 0;
  const fields = { message: failure.message, error_code: failure.code, is_panic: false };
  const entry = { timestamp: new Date().toISOString(), level: 'ERROR', fields, target: 'schema_engine::logger' };
  // The CLI drops the first line of this output.
  process.stderr.write(`{"level":"INFO","fields":{"message":"schema engine"}}\n${JSON.stringify(entry)}\n`);
  return 1;
}

let engine;
async function startEngine() {
  const glue = await loadEngine();
  // `migrate diff` may run before the database exists: any database of the server is sufficient.
  const reason = await whyUnreachable(datasource.url);
  const url = reason?.code === 'P1003' ? maintenanceUrl(datasource.url) : datasource.url;
  const datamodels = options.datamodels?.map((file) => [file, readFileSync(file, 'utf8')]);
  return glue.SchemaEngine.new({ datamodels }, () => {}, adapterFactory(url, datasource.shadowDatabaseUrl));
}

async function call(method, params) {
  if (method === 'createDatabase') return { databaseName: await createDatabase(datasource.url) };
  engine ??= startEngine();
  return (await engine)[method === 'getDatabaseVersion' ? 'version' : method](params);
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const PRINT_ID = 1_000_000_000; // far from the ids that the CLI counts up

async function respond({ id, method, params }) {
  if (id === undefined || method === undefined) return;
  try {
    let result = await call(method, params);
    if (method === 'diff' && result?.stdout != null) {
      send({ id: PRINT_ID, method: 'print', params: { content: result.stdout } });
      result = { exitCode: result.exitCode, stdout: null };
    }
    send({ id, result: result ?? null });
  } catch (error) {
    const panicked = isPanic(error);
    const message = panicked ? panicMessage() : (error.message ?? String(error));
    const data = { is_panic: panicked, message, error_code: error.code, meta: error.meta };
    send({ id, error: { code: 4466, message, data } });
  }
}

if (options.version) {
  console.log(`schema-engine-wasm ${engineVersion()}`);
} else if (positionals[0] === 'cli') {
  process.exitCode = await runCommand(positionals[1]);
} else {
  const pending = new Set();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!line.trim()) continue;
    const task = respond(JSON.parse(line)).finally(() => pending.delete(task));
    pending.add(task);
  }
  await Promise.allSettled(pending);
  process.exit(0);
}
