import { root } from './root.mjs';
import { runTool } from './run-command.mjs';
import { digest, runOnce } from './stamps.mjs';

/** The bundles of a deployment, by entry point. */
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

/** Generates the database client from the data model. */
export const generateClient = (step) =>
  runOnce(
    'generate',
    { key: digest(['prisma/schema.prisma', 'package-lock.json']), output: 'src/generated/prisma' },
    () => step('generate the database client', () => runTool('prisma/build/index.js', ['generate'])),
  );

/** Generates the types of the API client, which type checks require. */
export const generateClientTypes = (step) =>
  runOnce(
    'client-types',
    {
      key: digest(['src/contract', 'src/client/generator', 'package-lock.json']),
      output: 'src/client/generated/api.ts',
    },
    () =>
      step('generate the types of the API', () => runTool('tsx/dist/cli.mjs', ['src/client/generator/generate.ts'])),
  );

const PACKAGES = String.raw`(sdk|cli|client)\/(node_modules|dist|generated)`;
const NOT_SERVED = new RegExp(
  String.raw`^src\/(launcher\/(?!demo)|admin\/|dev\/|generated\/|(${PACKAGES})\/)|\.test\.tsx?$`,
);

/** Bundles each process into one file. */
export const bundle = (step) =>
  runOnce('bundle', { key: digest(['src', 'prisma', 'package-lock.json'], NOT_SERVED), output: '.run/main.mjs' }, () =>
    step('bundle the processes', async () => (await import('esbuild')).build(bundleOptions)),
  );

const NOT_A_PAGE = new RegExp(
  String.raw`^src\/(launcher|admin|dev|generated|emulators|jobs|${PACKAGES})\/|\.test\.tsx?$`,
);
const PAGE_SOURCES = ['src', 'public', 'next.config.js', 'postcss.config.mjs', 'tsconfig.json', 'package-lock.json'];

/** Builds the pages with Next.js. */
export const buildPages = (step) =>
  runOnce(
    'pages',
    { key: digest([...PAGE_SOURCES, 'prisma/schema.prisma'], NOT_A_PAGE), output: '.next/BUILD_ID' },
    () =>
      step('build the pages', () =>
        runTool('next/dist/bin/next', ['build'], { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }),
      ),
  );
