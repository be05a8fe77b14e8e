import { readFileSync } from 'node:fs';
import path from 'node:path';
import { strToU8, zipSync } from 'fflate';

const ENTRY = 'src/examples/playground/take-along/main.tsx';
const SDK = '@carelane/auth-sdk';
const IMPORTED = /(?<before>\bfrom |\bimport\()'(?<source>[^']+)'/g;
/** Lines that are only for this repository's tools. */
const REPOSITORY_ONLY = [/^'use client';\n/, /^ *(?:\/\/ biome-ignore|\{\/\* biome-ignore)[^\n]*\n/gm];
/** Maps folders of this repository to folders of the packed app; the first match applies. */
const PACKED_FOLDERS = [
  ['src/examples/playground/take-along/', 'src/'],
  ['src/examples/playground/', 'src/'],
  ['src/web/ui/stripe/load-stripe-js.ts', 'src/steps/load-stripe-js.ts'],
  ['src/web/ui/stripe/', 'src/'],
  ['src/web/ui/', 'src/ui/'],
  ['src/contract/', 'src/ui/'],
] as const;

function packedPathOf(file: string): string {
  const mapping = PACKED_FOLDERS.find(([folder]) => file.startsWith(folder));
  if (!mapping) throw new Error(`${file} has no place in an app of its own`);
  const [from, to] = mapping;
  return file.replace(from, to);
}

/** The imported file, or null for a package. */
function fileOf(source: string, importer: string): string | null {
  if (source.startsWith('.')) return path.posix.join(path.posix.dirname(importer), source);
  return source.startsWith('#') ? source.replace('#', 'src/') : null;
}

/** The package `react-dom` for `react-dom/client`. */
const packageOf = (source: string): string => source.split('/', source.startsWith('@') ? 2 : 1).join('/');

/**
 * Collects the playground's app with all its imports, each file at its path in the packed app.
 * @returns texts by path, and the imported packages
 */
function gatherSources(): { files: Map<string, string>; packages: Set<string> } {
  const files = new Map<string, string>();
  const packages = new Set<string>();
  const queue = new Set([ENTRY]);
  // A set that grows during iteration is iterated to its new end.
  for (const file of queue) {
    const text = REPOSITORY_ONLY.reduce(
      (current, pattern) => current.replace(pattern, ''),
      readFileSync(path.join(/* turbopackIgnore: true */ process.cwd(), file), 'utf8'),
    );
    const packedPath = packedPathOf(file);
    const rewritten = text.replaceAll(IMPORTED, (...args) => {
      const { before, source } = args.at(-1) as { before: string; source: string };
      const target = fileOf(source, file);
      if (target?.startsWith('src/sdk/') || target === null) {
        packages.add(target === null ? packageOf(source) : SDK);
        return `${before}'${target === null ? source : SDK}'`;
      }
      queue.add(target);
      const relativePath = path.posix.relative(path.posix.dirname(packedPath), packedPathOf(target));
      return `${before}'${relativePath.startsWith('.') ? relativePath : `./${relativePath}`}'`;
    });
    if (files.has(packedPath)) throw new Error(`two files would be ${packedPath}`);
    files.set(packedPath, rewritten);
  }
  return { files, packages };
}

const FOLDER = 'carelane-app';
const TEMPLATE = 'src/examples/playground/take-along';
const COPIED_FILES = ['README.md', 'index.html', 'tsconfig.json', 'vite.config.ts'];
/** The build tools of the app. */
const BUILD_TOOLS = [
  '@tailwindcss/postcss',
  '@types/react',
  '@types/react-dom',
  '@vitejs/plugin-react',
  'tailwindcss',
  'typescript',
  'vite',
];

type PackOptions = {
  /** Null if the clinic is unknown. */
  tokens: { passwordless: string; credentials: string } | null;
  /** The URL that npm installs the SDK from. */
  sdk: string;
};

const read = (file: string): string => readFileSync(path.join(/* turbopackIgnore: true */ process.cwd(), file), 'utf8');

/** Pins the versions that this repository tests together. */
function packageFile(packages: Set<string>, sdk: string): string {
  const { dependencies, devDependencies, engines } = JSON.parse(read('package.json'));
  const versions: Record<string, string> = { ...devDependencies, ...dependencies, '@carelane/auth-sdk': sdk };
  const pinned = (names: Iterable<string>) =>
    Object.fromEntries([...names].sort().map((name) => [name, versions[name]]));
  const file = {
    name: FOLDER,
    version: '0.1.0',
    private: true,
    license: 'Apache-2.0',
    type: 'module',
    engines,
    scripts: { dev: 'vite', check: 'tsc', build: 'tsc && vite build', preview: 'vite preview' },
    dependencies: pinned(packages),
    devDependencies: pinned(BUILD_TOOLS),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** The portal's styles without its fonts. */
const styles = (): string =>
  read('src/app/globals.css')
    .replace("@import 'tailwindcss' source('..');", "@import 'tailwindcss';")
    .replaceAll(/var\(--font-geist-\w+\), /g, '');

const withTokens = (text: string, tokens: PackOptions['tokens']): string =>
  tokens
    ? Object.entries(tokens).reduce(
        (current, [name, token]) => current.replace(`${name}: ''`, `${name}: '${token}'`),
        text,
      )
    : text;

/** Packs the playground's app as a standalone project in a zip file: sources, package.json and configuration. */
export function packApp({ tokens, sdk }: PackOptions): Uint8Array<ArrayBuffer> {
  const { files, packages } = gatherSources();
  const tokensFile = files.get('src/tokens.ts');
  if (tokensFile === undefined) throw new Error('the app has no src/tokens.ts');
  files.set('src/tokens.ts', withTokens(tokensFile, tokens));
  files.set('src/index.css', styles());
  files.set('package.json', packageFile(packages, sdk));
  files.set('postcss.config.mjs', read('postcss.config.mjs'));
  files.set('LICENSE', read('LICENSE'));
  files.set('.gitignore', 'node_modules\ndist\n');
  for (const name of COPIED_FILES) files.set(name, read(`${TEMPLATE}/${name}`));
  const entries = [...files].sort().map(([packedPath, text]) => [`${FOLDER}/${packedPath}`, strToU8(text)]);
  return zipSync(Object.fromEntries(entries)) as Uint8Array<ArrayBuffer>;
}
