import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Source } from '#portal/docs/documentation.ts';

const at = (...place: string[]) => path.join(process.cwd(), 'src', ...place);
/** Guides tell one story; the other pages are looked up. */
const FOLDERS = ['portal/docs/guides', 'portal/docs/pages'];

/** What is not ours to write twice: pages that are a package's own files. */
const PACKAGES = [
  {
    slug: 'client',
    file: 'client/README.md',
    description: 'The typed client of the API, for browsers, Node and the edge.',
  },
  { slug: 'auth-sdk', file: 'sdk/README.md', description: 'Signs patients in, in browsers, React Native and Node.' },
  {
    slug: 'auth-sdk-protocol',
    file: 'sdk/PROTOCOL.md',
    description: 'What an app in another language needs to sign patients in.',
  },
  { slug: 'auth-sdk-changelog', file: 'sdk/CHANGELOG.md', description: 'What changed in the SDK, version by version.' },
];

/** What a package says of a sandbox as it is when nothing is said at its start, and whose place that is. */
const STARTED_PLAINLY: [text: string, place: string][] = [
  ['http://localhost:3000/packages/', '{{packages_origin}}/packages/'],
  ['http://127.0.0.1:3003', '{{inbox_url}}'],
];

/** A package's files lead to each other by their names. */
const LINKS: Record<string, string> = {
  'README.md': '/docs/auth-sdk',
  'PROTOCOL.md': '/docs/auth-sdk-protocol',
  'CHANGELOG.md': '/docs/auth-sdk-changelog',
};

export const readTexts = (): Source[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(at(folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => ({ slug: file.replace(/\.md$/, ''), text: readFileSync(at(folder, file), 'utf8') })),
  );

export const readPackages = (): Source[] =>
  PACKAGES.filter(({ file }) => existsSync(at(file))).map(({ slug, file, description }) => {
    const linked = readFileSync(at(file), 'utf8').replace(
      /\]\(\.?\/?([A-Z]+\.md)(#[^)]*)?\)/g,
      (link, name: string, anchor = '') => (LINKS[name] ? `](${LINKS[name]}${anchor})` : link),
    );
    const text = STARTED_PLAINLY.reduce((words, [plain, place]) => words.replaceAll(plain, place), linked);
    return { slug, text: `---\ndescription: ${description}\n---\n${text}` };
  });
