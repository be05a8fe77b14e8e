// `npm run build -w @carelane/cli`: builds dist/carelane.js, a single file that only requires Node.
import { chmod, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const packageDir = dirname(fileURLToPath(import.meta.url));
const dist = join(packageDir, 'dist');
const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));

await rm(dist, { recursive: true, force: true });
await build({
  entryPoints: [join(packageDir, 'carelane.ts')],
  outfile: join(dist, 'carelane.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  banner: { js: '#!/usr/bin/env node' },
  define: { CARELANE_CLI_VERSION: JSON.stringify(version) },
});
await chmod(join(dist, 'carelane.js'), 0o755);
