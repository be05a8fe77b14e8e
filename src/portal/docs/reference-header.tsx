'use client';
import { FileJson, Menu } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '#portal/ui/badge.tsx';
import { Button } from '#portal/ui/button.tsx';
import { LogoMark } from '#portal/ui/logo.tsx';
import { Sheet } from '#portal/ui/sheet.tsx';
import { type NavGroup, ReferenceNav } from './reference-nav.tsx';
import { ThemeButton } from './theme-button.tsx';

type ReferenceHeaderProps = { groups: NavGroup[]; documentUrl: string; sandbox: boolean };

/** The page's head; on narrow screens it holds the contents as well. */
export function ReferenceHeader({ groups, documentUrl, sandbox }: ReferenceHeaderProps) {
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center justify-between gap-2 border-b border-line bg-surface px-4">
      <span className="flex min-w-0 items-center gap-2 text-[15px] font-semibold tracking-tight">
        <LogoMark className="size-6 shrink-0" />
        <span className="truncate">Carelane API</span>
        {sandbox && <Badge tone="warn">Sandbox</Badge>}
      </span>
      <span className="flex shrink-0 items-center gap-1">
        <Button asChild variant="ghost" size="sm" className="max-md:h-10">
          <a href={documentUrl}>
            <FileJson aria-hidden />
            <span className="max-sm:sr-only">OpenAPI</span>
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
      <Sheet open={open} onOpenChange={setOpen} title="Contents">
        <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-4">
          <ReferenceNav groups={groups} onNavigate={() => setOpen(false)} />
        </div>
      </Sheet>
    </header>
  );
}
