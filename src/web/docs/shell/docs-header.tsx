'use client';
import { FileJson, Menu, SunMoon } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useTheme } from 'next-themes';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Link } from '#web/ui/link.tsx';
import { LogoMark } from '#web/ui/logo.tsx';
import { SandboxBadge } from '#web/ui/sandbox-badge.tsx';
import { DocsSearch } from '../search/docs-search.tsx';
import { type ContentsGroup, DocsContents } from './docs-contents.tsx';

const Sheet = dynamic(() => import('#web/ui/sheet.tsx').then((module) => module.Sheet), { ssr: false });

type DocsHeaderProps = { groups: ContentsGroup[]; documentUrl: string; sandbox: boolean };

/** The page header; on narrow screens it also opens the contents. */
export function DocsHeader({ groups, documentUrl, sandbox }: DocsHeaderProps) {
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center justify-between gap-2 border-b border-line bg-surface px-4">
      <span className="flex min-w-0 items-center gap-2 text-[15px] font-semibold tracking-tight">
        <Link href="/docs" className="flex min-h-8 min-w-0 items-center gap-2 rounded-sm">
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
