'use client';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { cn } from '#web/ui/cn.ts';
import { isCurrent, type NavGroup } from './navigation.ts';

export function NavList({ groups, onNavigate }: { groups: NavGroup[]; onNavigate?: () => void }) {
  const pathname = usePathname();
  return (
    <nav aria-label="Main" className="grid gap-5">
      {groups.map((group) => (
        <div key={group.heading ?? 'main'}>
          {group.heading && <h2 className="mb-1 px-2.5 text-xs font-medium text-muted">{group.heading}</h2>}
          <ul className="grid gap-0.5">
            {group.items.map(({ href, label, icon: Icon }) => {
              const current = isCurrent(href, pathname);
              return (
                <li key={href}>
                  <Link
                    href={href}
                    {...(onNavigate && { onClick: onNavigate })}
                    aria-current={current ? 'page' : undefined}
                    className={cn(
                      'flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium transition-colors max-md:h-11',
                      current ? 'bg-accent-soft text-accent-ink' : 'text-muted hover:bg-hover hover:text-ink',
                    )}
                  >
                    <Icon aria-hidden className="size-4" />
                    {label}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}
