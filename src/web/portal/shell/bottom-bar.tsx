'use client';
import { Menu } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { cn } from '#web/ui/cn.ts';
import { isCurrent, type NavGroup } from './navigation.ts';

const ITEM =
  'flex flex-auto flex-col items-center gap-1 px-1 py-2 text-[11px] font-medium focus-visible:-outline-offset-2';
const ON_PHONES = new Set(['/', '/calendar', '/patients', '/appointments']);

/** Navigation of phones and small tablets: the four daily pages within reach, the rest behind "More". */
export function BottomBar({ groups, onMore }: { groups: NavGroup[]; onMore: () => void }) {
  const pathname = usePathname();
  const items = groups.flatMap((group) => group.items).filter((item) => ON_PHONES.has(item.href));
  // The current page is one of those behind "More".
  const isBehind = !items.some(({ href }) => isCurrent(href, pathname));
  return (
    <nav
      aria-label="Quick"
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-raised pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      {items.map(({ href, label, icon: Icon }) => {
        const current = isCurrent(href, pathname);
        return (
          <Link
            key={href}
            href={href}
            aria-current={current ? 'page' : undefined}
            className={cn(ITEM, current ? 'text-accent-ink' : 'text-muted')}
          >
            <Icon aria-hidden className="size-5" />
            {label}
          </Link>
        );
      })}
      <button
        type="button"
        onClick={onMore}
        aria-current={isBehind ? 'true' : undefined}
        className={cn(ITEM, isBehind ? 'text-accent-ink' : 'text-muted')}
      >
        <Menu aria-hidden className="size-5" />
        More
      </button>
    </nav>
  );
}
