'use client';
import { useEffect, useMemo, useRef } from 'react';
import { cn } from '#portal/ui/cn.ts';
import { MethodBadge } from './method-badge.tsx';
import { useCurrentAnchor } from './use-current-anchor.ts';

export type NavLink = { anchor: string; label: string; method?: string };
export type NavGroup = { heading: string; links: NavLink[] };

type ReferenceNavProps = { groups: NavGroup[]; onNavigate?: () => void };

/** The contents; what is being read is marked. */
export function ReferenceNav({ groups, onNavigate }: ReferenceNavProps) {
  const current = useCurrentAnchor(
    useMemo(() => groups.flatMap(({ links }) => links.map(({ anchor }) => anchor)), [groups]),
  );
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (current) nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav ref={nav} aria-label="Contents" className="grid gap-5">
      {groups.map(({ heading, links }) => (
        <div key={heading}>
          <h2 className="mb-1 px-2 text-xs font-medium text-muted">{heading}</h2>
          <ul>
            {links.map(({ anchor, label, method }) => (
              <li key={anchor}>
                <a
                  href={`#${anchor}`}
                  {...(onNavigate && { onClick: onNavigate })}
                  aria-current={anchor === current ? 'location' : undefined}
                  className={cn(
                    'flex min-h-7 items-center gap-2 rounded-md px-2 py-1 max-lg:min-h-11',
                    anchor === current ? 'bg-accent-soft text-accent-ink' : 'text-muted hover:bg-hover hover:text-ink',
                  )}
                >
                  {method && <MethodBadge method={method} className="w-12 shrink-0 text-center" />}
                  <span className={cn('min-w-0 wrap-anywhere', method && 'font-mono text-[11.5px]')}>{label}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
