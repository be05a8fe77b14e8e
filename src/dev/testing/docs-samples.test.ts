import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '#contract/openapi.ts';
import type { OpenApiDocument } from '#web/docs/reference/open-api.ts';
import { readReference } from '#web/docs/reference/read-reference.ts';
import { tokenSamples } from '#web/docs/samples/code-samples.ts';
import { root } from '../../launcher/root.mjs';

const run = promisify(execFile);
const baseUrl = 'https://care.example.test/api/v1';
const tokenUrl = 'https://care.example.test/identity/oauth2/token';
const groups = readReference(openApiDocument({ baseUrl, tokenUrl }) as OpenApiDocument);
const operations = groups.flatMap((group) => group.operations);
const beginning = tokenSamples({ baseUrl, tokenUrl, clientId: 'your-client-id' });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'carelane-samples-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes one file per operation, with the setup code before it. */
function writeAll(language: 'typescript' | 'python' | 'curl', name: (anchor: string) => string, before = ''): string[] {
  const own = path.join(folder, language);
  mkdirSync(own);
  const beginningFile = path.join(own, name('beginning'));
  writeFileSync(beginningFile, beginning[language]);
  const files = operations.map(({ anchor, samples }) => {
    const file = path.join(own, name(anchor));
    writeFileSync(file, `${before}${samples[language]}\n`);
    return file;
  });
  return [beginningFile, ...files];
}

test('every TypeScript sample compiles against the client', { timeout: 300_000 }, async () => {
  writeAll('typescript', (anchor) => `${anchor}.ts`, `${beginning.typescript}\n\n`);
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules/@types')],
    paths: { '@carelane/client': [path.join(root, 'src/client/index.ts')] },
  };
  const config = path.join(folder, 'typescript/tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const faults = () =>
    run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', config]).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout || stderr,
    );
  expect(await faults()).toBe('');
  writeFileSync(path.join(folder, 'typescript/wrong.ts'), `${beginning.typescript}\nawait carelane.get('/patient');\n`);
  expect(await faults(), 'a wrong sample is detected').toContain('wrong.ts(');
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
test.skipIf(!hasPython)('every Python sample compiles', { timeout: 60_000 }, async () => {
  const files = writeAll('python', (anchor) => `${anchor.replaceAll('-', '_')}.py`);
  expect(files.length).toBe(operations.length + 1);
  await run('python3', ['-m', 'py_compile', ...files]);
});

test('every curl sample parses in a shell', { timeout: 60_000 }, async () => {
  for (const file of writeAll('curl', (anchor) => `${anchor}.sh`)) await run('sh', ['-n', file]);
});
