import { readFileSync } from 'node:fs';
import path from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { gatherSources } from './gather-sources.ts';

const FOLDER = 'carelane-app';
const TEMPLATE = 'src/examples/playground/take-along';
const AS_THEY_ARE = ['README.md', 'index.html', 'tsconfig.json', 'vite.config.ts'];
/** What an app is built with. */
const TOOLS = [
  '@tailwindcss/postcss',
  '@types/react',
  '@types/react-dom',
  '@vitejs/plugin-react',
  'tailwindcss',
  'typescript',
  'vite',
];

type Given = {
  /** Of the clinic, where it is known which. */
  tokens: { passwordless: string; credentials: string } | null;
  /** Where npm gets the SDK from. */
  sdk: string;
};

const read = (file: string): string => readFileSync(path.join(/* turbopackIgnore: true */ process.cwd(), file), 'utf8');

/** The same versions as here, where they are known to work together. */
function packageFile(packages: Set<string>, sdk: string): string {
  const { dependencies, devDependencies, engines } = JSON.parse(read('package.json'));
  const known: Record<string, string> = { ...devDependencies, ...dependencies, '@carelane/auth-sdk': sdk };
  const pinned = (names: Iterable<string>) => Object.fromEntries([...names].sort().map((name) => [name, known[name]]));
  const file = {
    name: FOLDER,
    version: '0.1.0',
    private: true,
    license: 'Apache-2.0',
    type: 'module',
    engines,
    scripts: { dev: 'vite', check: 'tsc', build: 'tsc && vite build', preview: 'vite preview' },
    dependencies: pinned(packages),
    devDependencies: pinned(TOOLS),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** The portal's own looks, without the fonts that it brings. */
const styles = (): string =>
  read('src/app/globals.css')
    .replace("@import 'tailwindcss' source('..');", "@import 'tailwindcss';")
    .replaceAll(/var\(--font-geist-\w+\), /g, '');

const filledIn = (text: string, tokens: Given['tokens']): string =>
  tokens
    ? Object.entries(tokens).reduce((left, [name, token]) => left.replace(`${name}: ''`, `${name}: '${token}'`), text)
    : text;

/** The playground's app as a project of its own: its sources, and what they are built and started with, as a zip. */
export function packApp({ tokens, sdk }: Given): Uint8Array<ArrayBuffer> {
  const { files, packages } = gatherSources();
  files.set('src/tokens.ts', filledIn(files.get('src/tokens.ts')!, tokens));
  files.set('src/index.css', styles());
  files.set('package.json', packageFile(packages, sdk));
  files.set('postcss.config.mjs', read('postcss.config.mjs'));
  files.set('LICENSE', read('LICENSE'));
  files.set('.gitignore', 'node_modules\ndist\n');
  for (const name of AS_THEY_ARE) files.set(name, read(`${TEMPLATE}/${name}`));
  const entries = [...files].sort().map(([place, text]) => [`${FOLDER}/${place}`, strToU8(text)]);
  return zipSync(Object.fromEntries(entries)) as Uint8Array<ArrayBuffer>;
}
