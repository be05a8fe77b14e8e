import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { runTool } from '../run-command.mjs';

/**
 * Builds dist/esm and dist/cjs of a package, each with types and without runtime dependencies.
 * @param {string} folder of the package; its `tsconfig.build.json` writes to `dist/declarations`
 * @param {string[]} entries without extension
 * @param {string[]} bundled packages whose licences are included
 */
export async function buildPackage(folder, entries, bundled) {
  const dist = join(folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  await Promise.all(
    [
      { format: 'esm', splitting: true },
      { format: 'cjs', splitting: false },
    ].map((shape) =>
      build({
        ...shape,
        entryPoints: entries.map((entry) => join(folder, `${entry}.ts`)),
        outdir: join(dist, shape.format),
        bundle: true,
        platform: 'neutral',
        mainFields: ['module', 'main'],
        target: 'es2022',
        legalComments: 'inline',
        chunkNames: 'shared-[hash]',
      }),
    ),
  );

  await runTool('typescript/bin/tsc', ['-p', join(folder, 'tsconfig.build.json')]);
  await publishTypes(
    dist,
    entries.map((entry) => `${entry}.d.ts`),
  );
  // A package.json in the folder makes the same declarations CommonJS.
  await writeFile(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
  const notices = await Promise.all(bundled.map(async (name) => `${name}\n\n${await licenceOf(folder, name)}`));
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), notices.join('\n\n'));
}

/** Copies only declarations that the entries reach, with the extension that a consumer's compiler resolves. */
async function publishTypes(dist, entries) {
  const declarations = join(dist, 'declarations');
  const links = /(['"])(\.{1,2}\/[\w./-]+)\.ts\1/g;
  const published = new Set(entries);
  for (const file of published) {
    const text = await readFile(join(declarations, file), 'utf8');
    for (const format of ['esm', 'cjs']) {
      const target = join(dist, format, file);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text.replace(links, '$1$2.js$1'));
    }
    for (const [, , link] of text.matchAll(links)) published.add(`${join(dirname(file), link)}.d.ts`);
  }
  await rm(declarations, { recursive: true });
}

async function licenceOf(folder, name) {
  const searchPaths = createRequire(join(folder, 'package.json')).resolve.paths(name);
  for (const searchPath of searchPaths)
    for (const file of ['LICENSE', 'LICENSE.md', 'LICENSE.txt']) {
      const text = await readFile(join(searchPath, name, file), 'utf8').catch(() => null);
      if (text) return text;
    }
  // Some packages state their licence only in package.json.
  for (const searchPath of searchPaths) {
    const text = await readFile(join(searchPath, name, 'package.json'), 'utf8').catch(() => null);
    if (text) return licenceFromPackageJson(JSON.parse(text));
  }
  throw new Error(`${name} is not installed.`);
}

function licenceFromPackageJson({ license, author, homepage }) {
  return `${license} License\nCopyright (c) ${author?.name ?? author}\n${homepage}\n`;
}
