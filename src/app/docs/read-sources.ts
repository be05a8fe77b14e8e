import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Source } from '#web/docs/documentation.ts';

const sourcePath = (...segments: string[]) => path.join(process.cwd(), 'src', ...segments);
/**
 * The folders of the docs: guides and reference pages for app developers, guides and decisions for operators and
 * contributors. `path` is the URL path, `group` the heading in the contents.
 */
const FOLDERS: { folder: string; path: string; group?: string }[] = [
  { folder: 'docs/api/guides', path: '/docs' },
  { folder: 'docs/api/pages', path: '/docs' },
  { folder: 'docs', path: '/docs/guides', group: 'Deploy and develop' },
  { folder: 'docs/decisions', path: '/docs/decisions', group: 'Decisions' },
];

/** Pages that are files of a package. */
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

/** The default URLs in the packages' files, with the placeholders that replace them. */
const DEFAULT_URLS: [text: string, place: string][] = [
  ['http://localhost:3000/packages/', '{{packages_origin}}/packages/'],
  ['http://127.0.0.1:3003', '{{inbox_url}}'],
];

/** The files of the SDK link to each other by name. */
const LINKS: Record<string, string> = {
  'README.md': '/docs/auth-sdk',
  'PROTOCOL.md': '/docs/auth-sdk-protocol',
  'CHANGELOG.md': '/docs/auth-sdk-changelog',
};

/** Converts links between files, which also work in a repository browser, to links between pages. */
const withWebLinks = (text: string, folder: string): string =>
  text.replace(/\]\((?!\/|\w+:|#)([\w./-]+)\.md(#[^)]*)?\)/g, (_link, file: string, anchor = '') => {
    const target = path.posix.join(folder, file);
    const mapping = FOLDERS.find((entry) => entry.folder === path.posix.dirname(target));
    if (!mapping) throw new Error(`${file}.md is not a page of the docs`);
    return `](${mapping.path}/${path.posix.basename(target)}${anchor})`;
  });

export const readTexts = (): Source[] =>
  FOLDERS.flatMap(({ folder, path: web, group }) =>
    readdirSync(sourcePath(folder))
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file) => {
        const text = withWebLinks(readFileSync(sourcePath(folder, file), 'utf8'), folder);
        return {
          slug: `${web}/${file.replace(/\.md$/, '')}`.replace('/docs/', ''),
          text: group ? text.replace(/^---\n/, `---\ngroup: ${group}\n`) : text,
        };
      }),
  );

export const readPackages = (): Source[] =>
  PACKAGES.filter(({ file }) => existsSync(sourcePath(file))).map(({ slug, file, description }) => {
    const linked = readFileSync(sourcePath(file), 'utf8').replace(
      /\]\(\.?\/?([A-Z]+\.md)(#[^)]*)?\)/g,
      (link, name: string, anchor = '') => (LINKS[name] ? `](${LINKS[name]}${anchor})` : link),
    );
    const text = DEFAULT_URLS.reduce((current, [plain, placeholder]) => current.replaceAll(plain, placeholder), linked);
    return { slug, text: `---\ndescription: ${description}\n---\n${text}` };
  });
