import { readFileSync } from 'node:fs';
import path from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { gatherSources } from './gather-sources.ts';

const FOLDER = 'carelane-app';
const TEMPLATE = 'src/examples/playground/take-along';
const AS_THEY_ARE = ['README.md', 'index.html', 'tsconfig.json', 'vite.config.ts'];
/** The build tools of the app. */
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
  /** Null if the clinic is unknown. */
  tokens: { passwordless: string; credentials: string } | null;
  /** The URL that npm installs the SDK from. */
  sdk: string;
};

const read = (file: string): string => readFileSync(path.join(/* turbopackIgnore: true */ process.cwd(), file), 'utf8');

/** Pins the versions that this repository tests together. */
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

/** The portal's styles without its fonts. */
const styles = (): string =>
  read('src/app/globals.css')
    .replace("@import 'tailwindcss' source('..');", "@import 'tailwindcss';")
    .replaceAll(/var\(--font-geist-\w+\), /g, '');

const filledIn = (text: string, tokens: Given['tokens']): string =>
  tokens
    ? Object.entries(tokens).reduce((left, [name, token]) => left.replace(`${name}: ''`, `${name}: '${token}'`), text)
    : text;

/** Packs the playground's app as a standalone project in a zip file: sources, package.json and configuration. */
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
