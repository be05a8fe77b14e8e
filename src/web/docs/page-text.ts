import type { DocPage } from './documentation.ts';
import { readMarkdown, type Section } from './markdown/read-markdown.ts';
import { referenceMarkdown } from './reference/reference-markdown.ts';

/** Where the same page is as a text in Markdown. */
export const textPath = ({ path }: DocPage): string => `${path}.md`;

/** A page as a text in Markdown. */
export const pageText = (page: DocPage): string =>
  `# ${page.title}\n\n${page.description && `> ${page.description}\n\n`}${page.kind === 'text' ? page.markdown : referenceMarkdown(page.group)}`;

/** What of a page is linked to. */
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

/** All pages for a program that reads: what each is about, and where its text is. */
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
 * What search engines may read (RFC 9309). Pages that are somebody's own say `noindex` themselves, which only who may read
 * them sees; what programs and links in mails call is not to be tried at all.
 */
export const robotsText = (origin: string): string =>
  `User-agent: *\nDisallow: /api/\nDisallow: /identity/\n\nSitemap: ${origin}/sitemap.xml\n`;

/** https://www.sitemaps.org/protocol.html */
export const sitemapText = (pages: DocPage[], origin: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${pages
    .map(({ path }) => `  <url><loc>${escaped(origin + path)}</loc></url>\n`)
    .join('')}</urlset>\n`;
