import { root } from '../root.mjs';
import { runTool } from '../run-command.mjs';
import { digest, once } from './stamps.mjs';

/** The parts of a deployment that are bundled, and from what. */
export const ENTRIES = { main: 'src/main.ts', emulators: 'src/emulators/main.ts', seed: 'prisma/seed.ts' };

export const bundleOptions = {
  absWorkingDir: root,
  entryPoints: ENTRIES,
  outdir: '.run',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  alias: { '#': './src' },
  sourcemap: 'inline',
  sourcesContent: false,
  logLevel: 'silent',
};

/** The database client, from the data model. */
export const generateClient = (step) =>
  once('generate', { key: digest(['prisma/schema.prisma', 'package-lock.json']), makes: 'src/generated/prisma' }, () =>
    step('generate the database client', () => runTool('prisma/build/index.js', ['generate'])),
  );

const NOT_SERVED = /^src\/(scripts|testing|generated|sdk\/(node_modules|dist))\/|\.test\.tsx?$/;

/** The processes, as one file each. */
export const bundle = (step) =>
  once('bundle', { key: digest(['src', 'prisma', 'package-lock.json'], NOT_SERVED), makes: '.run/main.mjs' }, () =>
    step('bundle the processes', async () => (await import('esbuild')).build(bundleOptions)),
  );

const NOT_A_PAGE = /^src\/(scripts|testing|generated|emulators|jobs|sdk\/(node_modules|dist))\/|\.test\.tsx?$/;
const PAGE_SOURCES = ['src', 'public', 'next.config.js', 'postcss.config.mjs', 'tsconfig.json', 'package-lock.json'];

/** The pages, by Next. */
export const buildPages = (step) =>
  once('pages', { key: digest([...PAGE_SOURCES, 'prisma/schema.prisma'], NOT_A_PAGE), makes: '.next/BUILD_ID' }, () =>
    step('build the pages', () =>
      runTool('next/dist/bin/next', ['build'], { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }),
    ),
  );
