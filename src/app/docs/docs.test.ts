import type { Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '#contract/openapi.ts';
import { documentationOf, type PlaceholderValues } from '#web/docs/documentation.ts';
import { anchorOfRow, readMarkdown } from '#web/docs/markdown/read-markdown.ts';
import { llmsText, pageText, robotsText, sectionsOf, sitemapText } from '#web/docs/page-text.ts';
import type { OpenApiDocument } from '#web/docs/reference/open-api.ts';
import { readReference } from '#web/docs/reference/read-reference.ts';
import { findEntries } from '#web/docs/search/find-entries.ts';
import { searchEntries } from '#web/docs/search/search-entries.ts';
import { readPackages, readTexts } from './read-sources.ts';

const origin = 'https://care.example.test';
const placeholders = (environment: PlaceholderValues['environment']): PlaceholderValues => ({
  environment,
  origin,
  packages_origin: 'http://localhost:3001',
  base_url: `${origin}/api/v1`,
  token_url: `${origin}/identity/oauth2/token`,
  requests_per_minute: '1,200',
  client_id: 'your-client-id',
  client_secret: 'your-client-secret',
  configuration: { passwordless: 'care_phone', credentials: 'care_password' },
  inbox_url: 'http://127.0.0.1:4009',
  price_id: 'price_1',
  trial_price_id: 'price_2',
  appointment_type_id: '1',
});
const document = openApiDocument({
  baseUrl: `${origin}/api/v1`,
  tokenUrl: `${origin}/identity/oauth2/token`,
}) as OpenApiDocument;
const groups = readReference(document);
const pagesOf = (environment: PlaceholderValues['environment']) =>
  documentationOf({ texts: readTexts(), packages: readPackages(), groups, placeholders: placeholders(environment) });
const pages = pagesOf('sandbox');
const production = pagesOf('production');
const paths = pages.map(({ path }) => path);

/** All anchors of a page. */
function anchorsOf(page: (typeof pages)[number]): string[] {
  const sections = sectionsOf(page).map(({ anchor }) => anchor);
  if (page.kind === 'resource') return sections;
  const tables = readMarkdown(page.markdown).tokens.filter((token): token is Tokens.Table => token.type === 'table');
  return [...sections, ...tables.flatMap(({ rows }) => rows.flatMap((row) => anchorOfRow(row) ?? []))];
}
/** The anchors of the Markdown version, which are derived from its headings. */
const headingsOf = (page: (typeof pages)[number]) => readMarkdown(pageText(page)).sections.map(({ anchor }) => anchor);

/** Returns a function that checks if a URL of this deployment is invalid. */
function brokenLinkCheckOf(all: typeof pages, others: string[]) {
  const anchors = new Map([
    ...all.map((page) => [page.path, anchorsOf(page)] as const),
    ...all.map((page) => [`${page.path}.md`, headingsOf(page)] as const),
    ...others.map((path): [string, string[]] => [path, []]),
  ]);
  return (href: string) => {
    const [path = '', anchor] = href.split('#');
    return !anchors.has(path) || (anchor !== undefined && !anchors.get(path)!.includes(anchor));
  };
}
const isBroken = brokenLinkCheckOf(pages, ['/playground']);
const isBrokenInProduction = brokenLinkCheckOf(production, []);
const linksOf = (page: (typeof pages)[number]) =>
  [...pageText(page).matchAll(/\]\((\/[^)\s]*)\)/g)].map(([, href]) => href!);

describe('the docs', () => {
  it('have a page for each text, package and resource, each with a title and a description', () => {
    expect(paths).toEqual(
      expect.arrayContaining(['/docs', '/docs/conventions', '/docs/api/patients', '/docs/auth-sdk']),
    );
    expect(new Set(paths).size).toBe(paths.length);
    for (const { path, title, description } of pages) expect(title && description, path).toMatch(/\.$/);
  });

  it.each(pages)('$path links only to existing pages', (page) => {
    expect(linksOf(page).filter(isBroken)).toEqual([]);
  });

  it.each(production)('$path links only to pages that production has', (page) => {
    expect(linksOf(page).filter(isBrokenInProduction)).toEqual([]);
  });

  it('contain only pages for their environment', () => {
    expect(paths).toContain('/docs/plans-and-time');
    expect(production.map(({ path }) => path)).not.toContain('/docs/plans-and-time');
  });

  it('contain no placeholders', () => {
    for (const page of pages) expect(pageText(page), page.path).not.toMatch(/\{\{\w+\}\}/);
  });

  it('replace default URLs in the packages’ files with the reader’s', () => {
    const packages = pages.filter(({ heading }) => heading === 'Packages').map(pageText);
    for (const text of packages) expect(text).not.toMatch(/localhost:3000\/packages|127\.0\.0\.1:3003/);
    expect(packages.join('')).toContain('npm install http://localhost:3001/packages/carelane-client.tgz');
    expect(packages.join('')).toContain('http://127.0.0.1:4009');
  });

  it('index every page, call, object and error with a valid URL', () => {
    const entries = searchEntries(pages);
    expect(entries.map(({ href }) => href).filter(isBroken)).toEqual([]);
    const groups = new Set(entries.map(({ group }) => group));
    expect([...groups].sort()).toEqual(['Calls', 'Errors', 'Objects', 'Pages', 'Sections']);
  });

  it.each([
    ['clock', '/docs/testing'],
    ['cors', '/docs/conventions#calls-from-a-browser'],
    ['4242', '/docs/testing'],
    ['3d secure', '/docs/taking-a-payment'],
    ['token url', '/docs/conventions#addresses'],
    ['nextMessage', '/docs/testing#codes-and-emails-the-inbox'],
    ['verifyWebhook', '/docs/webhooks'],
    ['impersonation', '/docs/impersonation'],
  ])('find %s in the guide that describes it', (text, path) => {
    const hrefs = findEntries(searchEntries(pages), text).map(({ href }) => href);
    expect(hrefs.filter((href) => href.startsWith(path))).not.toEqual([]);
  });

  it('list the sitemap for search engines, and disallow API routes', () => {
    expect(robotsText(origin)).toContain(`\nSitemap: ${origin}/sitemap.xml\n`);
    expect(robotsText(origin)).toContain('\nDisallow: /api/\n');
  });

  it('list all pages in llms.txt and in the sitemap', () => {
    const [llms, sitemap] = [llmsText(pages, origin, `${origin}/api/v1`), sitemapText(pages, origin)];
    for (const path of paths) {
      expect(llms).toContain(`(${origin}${path}.md)`);
      expect(sitemap).toContain(`<loc>${origin}${path}</loc>`);
    }
  });

  it('include the whole reference in the Markdown version', () => {
    const patients = pageText(pages.find(({ path }) => path === '/docs/api/patients')!);
    for (const text of ['`GET /patients/{id}`', '## The Patient object', '```python', '`birth_date`', '`not_found`'])
      expect(patients).toContain(text);
    expect(patients).toContain('Open to patients only, with the token of a patient');
  });
});
