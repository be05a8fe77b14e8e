import type { DocPage } from './documentation.ts';
import { readMarkdown, type Section } from './markdown/read-markdown.ts';
import { referenceMarkdown } from './reference/reference-markdown.ts';

/** The path of the Markdown version of a page. */
export const textPath = ({ path }: DocPage): string => `${path}.md`;

/** Renders a page as Markdown. */
export const pageText = (page: DocPage): string =>
  `# ${page.title}\n\n${page.description && `> ${page.description}\n\n`}${page.kind === 'text' ? page.markdown : referenceMarkdown(page.group)}`;

/** The sections of a page that have an anchor. */
export const sectionsOf = (page: DocPage): (Section & { method?: string; hint?: string })[] =>
  page.kind === 'text'
    ? readMarkdown(page.markdown).sections
    : [
        ...page.group.operations.map(({ anchor, summary, method, path }) => ({
          anchor,
          title: summary,
          depth: 2,
          method,
          hint: `${method} ${path}`,
        })),
        ...page.group.models.map(({ anchor, name }) => ({ anchor, title: `The ${name} object`, depth: 2 })),
      ];

/**
 * The index of all pages for language models, with descriptions and the paths of their Markdown versions.
 * @see https://llmstxt.org
 */
export function llmsText(pages: DocPage[], origin: string, baseUrl: string): string {
  const headings = [...new Set(pages.map(({ heading }) => heading))];
  const lineOf = (page: DocPage) => `- [${page.title}](${origin}${textPath(page)}): ${page.description}`;
  return [
    '# Carelane API',
    '> Patients, their subscriptions and their appointments, over HTTP and JSON.',
    `The API itself, for programs: ${baseUrl}/openapi.json (OpenAPI 3.1).`,
    ...headings.map((heading) => {
      const own = pages.filter((page) => page.heading === heading);
      return `## ${heading}\n\n${own.map(lineOf).join('\n')}`;
    }),
  ]
    .join('\n\n')
    .concat('\n');
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * The robots.txt (RFC 9309). Private pages send `noindex` themselves; API routes and links in emails are disallowed.
 */
export const robotsText = (origin: string): string =>
  `User-agent: *\nDisallow: /api/\nDisallow: /identity/\n\nSitemap: ${origin}/sitemap.xml\n`;

/** @see https://www.sitemaps.org/protocol.html */
export const sitemapText = (pages: DocPage[], origin: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${pages
    .map(({ path }) => `  <url><loc>${escaped(origin + path)}</loc></url>\n`)
    .join('')}</urlset>\n`;
