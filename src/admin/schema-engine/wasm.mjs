import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const folder = path.dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));

// The engine reports a panic to this global before it aborts the call.
const panics = {
  last: '',
  set_message(message) {
    this.last = `RuntimeError: ${message}`;
  },
};
globalThis.PRISMA_WASM_PANIC_REGISTRY = panics;

export const panicMessage = () => panics.last;
export const isPanic = (error) => error?.name === 'RuntimeError';
export const engineVersion = () => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).version;

/**
 * The package's own entry imports the .wasm file as a module, which Node 20 does not support, so it is linked manually.
 */
export async function loadEngine() {
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const module = await WebAssembly.compile(readFileSync(path.join(folder, 'schema_engine_bg.wasm')));
  const { exports } = await WebAssembly.instantiate(module, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(exports);
  exports.__wbindgen_start();
  return glue;
}
