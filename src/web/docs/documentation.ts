import { ERRORS } from '#contract/errors.ts';
import { SCOPES } from '#contract/scopes.ts';
import { SCOPE_NAMES } from '../ui/scope-names.ts';
import { fillPlaceholders, frontMatter } from './markdown/read-markdown.ts';
import type { Group } from './reference/read-reference.ts';

/** The values of the deployment and of the reader that docs texts refer to. */
export type PlaceholderValues = {
  environment: 'sandbox' | 'production';
  origin: string;
  /** The origin of the packages, which are under `/packages/`. */
  packages_origin: string;
  base_url: string;
  token_url: string;
  requests_per_minute: string;
  client_id: string;
  client_secret: string;
  /** Configuration tokens of the SDK, one for each sign-in method. */
  configuration: { passwordless: string; credentials: string };
  inbox_url: string;
  price_id: string;
  trial_price_id: string;
  appointment_type_id: string;
};

/** The unprocessed text of a file. */
export type Source = { slug: string; text: string };

/** The headings of the contents, in order. */
export const HEADINGS = [
  'Start',
  'Guides',
  'Reference',
  'Packages',
  'Deploy and develop',
  'Decisions',
  'More',
] as const;
type Heading = (typeof HEADINGS)[number];

export type DocPage = { path: string; title: string; description: string; heading: Heading } & (
  | { kind: 'text'; markdown: string }
  | { kind: 'resource'; group: Group }
);

type DocumentationSources = {
  texts: Source[];
  packages: Source[];
  groups: Group[];
  placeholders: PlaceholderValues;
};

const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
const errorCodes = [
  row('Code', 'Status', 'What it means'),
  row('---', '---', '---'),
  ...Object.entries(ERRORS).map(([name, { status, meaning }]) => row(`\`${name}\``, String(status), meaning)),
].join('\n');
const scopes = [
  row('Scope', 'What it lets do'),
  row('---', '---'),
  ...SCOPES.map((name) => row(`\`${name}\``, SCOPE_NAMES[name])),
].join('\n');

/** Replaces links to pages that this deployment does not have with their text. */
const withoutLinks = (text: string, absent: string[]): string =>
  text.replace(/\[([^\]]+)\]\((\/[^)#\s]+)[^)\s]*\)/g, (link, label: string, path: string) =>
    absent.includes(path) ? label : link,
  );

/** The list of decisions. The contents show the decision records only to readers of one of them. */
const listOfDecisions = (pages: DocPage[]): DocPage => ({
  kind: 'text',
  path: '/docs/decisions',
  title: 'Decisions',
  description: 'Why the service is built as it is: context, decision and consequences, one record each.',
  heading: 'Deploy and develop',
  markdown: pages
    .filter(({ heading }) => heading === 'Decisions')
    .map(({ path, title, description }) => `- [${title}](${path}): ${description}\n`)
    .join(''),
});

/** Returns all docs pages, in the order of the contents. */
export function documentationOf({ texts, packages, groups, placeholders }: DocumentationSources): DocPage[] {
  const { configuration, ...others } = placeholders;
  const values = {
    ...others,
    configuration: configuration.passwordless,
    configuration_by_password: configuration.credentials,
    error_codes: errorCodes,
    scopes,
  };
  const parsed = texts.map(({ slug, text }) => ({ slug, ...frontMatter(text) }));
  const isShown = ({ fields }: (typeof parsed)[number]) => !fields.only || fields.only === placeholders.environment;
  const absentPaths = parsed.filter((text) => !isShown(text)).map(({ slug }) => `/docs/${slug}`);
  if (placeholders.environment !== 'sandbox') absentPaths.push('/playground');
  const resolveText = (body: string) => fillPlaceholders(withoutLinks(body, absentPaths), values);
  const pages = parsed
    .filter(isShown)
    .sort((a, b) => Number(a.fields.order ?? 50) - Number(b.fields.order ?? 50))
    .map(
      ({ slug, fields, body }): DocPage => ({
        kind: 'text',
        path: slug === 'start' ? '/docs' : `/docs/${slug}`,
        title: fields.title ?? slug,
        description: fields.description ?? '',
        heading: HEADINGS.find((heading) => heading === fields.group) ?? 'Guides',
        markdown: resolveText(body),
      }),
    );
  const readmes = packages.map(({ slug, text }): DocPage => {
    const { fields, body } = frontMatter(text);
    return {
      kind: 'text',
      path: `/docs/${slug}`,
      title: fields.title ?? slug,
      description: fields.description ?? '',
      heading: 'Packages',
      markdown: resolveText(body),
    };
  });
  const resources = groups.map(
    (group): DocPage => ({
      kind: 'resource',
      path: `/docs/api/${group.anchor}`,
      title: group.name,
      description: group.description,
      heading: 'Reference',
      group,
    }),
  );
  const all = [...pages, ...resources, ...readmes, listOfDecisions(pages)];
  return HEADINGS.flatMap((heading) => all.filter((page) => page.heading === heading));
}
