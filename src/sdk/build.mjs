// `npm run build -w @carelane/auth-sdk`: dist/esm and dist/cjs, each with its types; nothing to install at run time.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, 'dist');
const { resolve } = createRequire(import.meta.url);

await rm(dist, { recursive: true, force: true });
await Promise.all(
  [
    { format: 'esm', splitting: true },
    { format: 'cjs', splitting: false },
  ].map((shape) =>
    build({
      ...shape,
      entryPoints: [join(here, 'index.ts'), join(here, 'node.ts')],
      outdir: join(dist, shape.format),
      bundle: true,
      platform: 'neutral',
      mainFields: ['module', 'main'],
      target: 'es2022',
      legalComments: 'inline',
      chunkNames: 'shared',
    }),
  ),
);

const tsc = join(dirname(resolve('typescript/package.json')), 'bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });
const declarations = join(dist, 'declarations');
const published = new Set();
await publish('index.d.ts');
await publish('node.d.ts');
await rm(declarations, { recursive: true });
// The same declarations are read as CommonJS below a package.json that says so.
await writeFile(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');

const noble = dirname(resolve('@noble/hashes/utils.js'));
const notice = await readFile(join(noble, 'LICENSE'), 'utf8');
await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), `@noble/hashes\n\n${notice}`);

/** Only what the entries lead to, with the extension that a consumer's compiler looks up. */
async function publish(file) {
  if (published.has(file)) return;
  published.add(file);
  const text = await readFile(join(declarations, file), 'utf8');
  const links = /(['"])(\.{1,2}\/[\w./-]+)\.ts\1/g;
  for (const format of ['esm', 'cjs']) {
    const target = join(dist, format, file);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text.replace(links, '$1$2.js$1'));
  }
  for (const [, , link] of text.matchAll(links)) await publish(`${join(dirname(file), link)}.d.ts`);
}
