import { FileJson, Menu, SunMoon } from 'lucide-react';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useTheme } from 'next-themes';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { LogoMark } from '#web/ui/logo.tsx';
import { SandboxBadge } from '#web/ui/sandbox-badge.tsx';
import { type DocPage, HEADINGS } from '../documentation.ts';
import { sectionsOf, textPath } from '../page-text.ts';
import { LanguageProvider } from '../samples/language.tsx';
import type { Language } from '../samples/languages.ts';
import { DocsSearch } from '../search/docs-search.tsx';
import { loadEntries } from '../search/find-entries.ts';
import { type ContentsGroup, DocsContents } from './docs-contents.tsx';

/** Anchors of the former single-page docs that have been renamed. */
const RENAMED_ANCHORS: Record<string, string> = {
  addresses: '/docs/conventions#addresses',
  token: '/docs/conventions#getting-a-token',
  impersonation: '/docs/conventions#acting-for-a-patient',
  'patients-app': '/docs/patients-app',
  invitations: '/docs/patients-app#invitations-and-your-own-pages',
  'plans-and-codes': '/docs/plans-and-time#making-a-plan-or-a-promotion-code',
  'time-and-trouble': '/docs/plans-and-time#advancing-time-and-simulating-failures',
  conventions: '/docs/conventions#requests-and-responses',
  lists: '/docs/conventions#lists-and-pages',
  filters: '/docs/conventions#filters',
  idempotency: '/docs/conventions#retrying-safely',
  'rate-limits': '/docs/conventions#rate-limits',
  browsers: '/docs/conventions#calls-from-a-browser',
  errors: '/docs/conventions#errors',
};

/** The current URL of a former anchor, or null. */
async function currentUrlOf(anchor: string): Promise<string | null> {
  if (RENAMED_ANCHORS[anchor]) return RENAMED_ANCHORS[anchor];
  const wanted = anchor.replace(/^error-/, '');
  const entries = (await loadEntries()).filter(({ group }) => group !== 'Sections');
  const entry = entries.find(({ href }) => href === `/docs/api/${wanted}` || href.endsWith(`#${wanted}`));
  return entry?.href ?? null;
}

/** Redirects former anchors to their current page. */
function LegacyAnchors() {
  const router = useRouter();
  useEffect(() => {
    const anchor = location.hash.slice(1);
    if (!anchor || document.getElementById(anchor)) return;
    currentUrlOf(anchor).then(
      (url) => url && router.replace(url),
      () => {},
    );
  }, [router]);
  return null;
}

const Sheet = dynamic(() => import('#web/ui/sheet.tsx').then((module) => module.Sheet), { ssr: false });

type DocsHeaderProps = { groups: ContentsGroup[]; documentUrl: string; sandbox: boolean };

/** The page header; on narrow screens it also opens the contents. */
function DocsHeader({ groups, documentUrl, sandbox }: DocsHeaderProps) {
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center justify-between gap-2 border-b border-line bg-surface px-4">
      <span className="flex min-w-0 items-center gap-2 text-[15px] font-semibold tracking-tight">
        <Link href="/docs" prefetch={false} className="flex min-h-8 min-w-0 items-center gap-2 rounded-sm">
          <LogoMark className="size-6 shrink-0" />
          <span className="truncate">
            Carelane <span className="max-sm:sr-only">API</span>
          </span>
        </Link>
        {sandbox && <SandboxBadge />}
      </span>
      <span className="flex shrink-0 items-center gap-1">
        <DocsSearch groups={groups} />
        <Button asChild variant="ghost" size="sm" className="max-md:h-10 max-sm:hidden">
          <a href={documentUrl}>
            <FileJson aria-hidden />
            OpenAPI
          </a>
        </Button>
        <ThemeButton />
        <Button
          variant="ghost"
          size="sm"
          aria-label="Contents"
          className="max-md:h-10 lg:hidden"
          onClick={() => setOpen(true)}
        >
          <Menu aria-hidden />
        </Button>
      </span>
      {open && (
        <Sheet open onOpenChange={setOpen} title="Contents">
          <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-4">
            <DocsContents groups={groups} onNavigate={() => setOpen(false)} />
          </div>
        </Sheet>
      )}
    </header>
  );
}

/** Switches between light and dark; initially the system's choice. */
function ThemeButton() {
  const { resolvedTheme, setTheme } = useTheme();
  return (
    <Button
      variant="ghost"
      size="sm"
      aria-label="Switch between light and dark"
      className="max-md:h-10"
      onClick={() => setTheme(resolvedTheme === 'dark' ? 'light' : 'dark')}
    >
      <SunMoon aria-hidden />
    </Button>
  );
}

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
