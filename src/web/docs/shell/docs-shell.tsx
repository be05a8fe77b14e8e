import type { ReactNode } from 'react';
import { type DocPage, HEADINGS } from '../documentation.ts';
import { sectionsOf, textPath } from '../page-text.ts';
import { LanguageProvider } from '../samples/language.tsx';
import type { Language } from '../samples/languages.ts';
import { type ContentsGroup, DocsContents } from './docs-contents.tsx';
import { DocsHeader } from './docs-header.tsx';
import { LegacyAnchors } from './legacy-anchors.tsx';

type DocsShellProps = {
  pages: DocPage[];
  page: DocPage;
  documentUrl: string;
  sandbox: boolean;
  language: Language;
  children: ReactNode;
};

/** The layout of a docs page: header, contents and title. */
export function DocsShell({ pages, page, documentUrl, sandbox, language, children }: DocsShellProps) {
  const groups = contentsOf(pages, page);
  return (
    <>
      <a
        href="#content"
        className="sr-only z-70 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <DocsHeader groups={groups} documentUrl={documentUrl} sandbox={sandbox} />
      <div className="mx-auto max-w-[96rem] lg:grid lg:grid-cols-[16rem_minmax(0,1fr)]">
        <aside className="sticky top-13 h-[calc(100dvh-3.25rem)] overflow-y-auto border-r border-line px-3 py-5 max-lg:hidden">
          <DocsContents groups={groups} />
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 px-4 pb-16 outline-none md:px-8">
          <h1 className="pt-7 text-2xl font-semibold tracking-tight wrap-anywhere">{page.title}</h1>
          <p className="mt-1 max-w-prose text-muted">{page.description}</p>
          <p className="mt-1 mb-6 text-[13px]">
            <a
              href={textPath(page)}
              className="inline-flex min-h-6 items-center rounded-sm text-muted underline underline-offset-3"
            >
              This page as Markdown
            </a>
          </p>
          <LanguageProvider initial={language}>{children}</LanguageProvider>
        </main>
      </div>
      {page.path === '/docs' && <LegacyAnchors />}
    </>
  );
}

/** The contents: all pages, and the sections of the current one. */
const contentsOf = (pages: DocPage[], current: DocPage): ContentsGroup[] =>
  HEADINGS.filter((heading) => heading !== 'Decisions' || current.heading === heading)
    .map((heading) => ({
      heading,
      links: pages
        .filter((page) => page.heading === heading)
        .map((page) => ({
          href: page.path,
          label: page.title,
          isCurrent: page.path === current.path,
          sections:
            page.path === current.path
              ? sectionsOf(page)
                  .filter(({ depth }) => depth <= 2)
                  .map(({ anchor, title, method }) => ({ anchor, label: title, ...(method && { method }) }))
              : [],
        })),
    }))
    .filter(({ links }) => links.length > 0);
