'use client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { cn } from '#web/ui/cn.ts';
import { Link } from '#web/ui/link.tsx';
import { MethodBadge } from '../reference/method-badge.tsx';

/** A thin band below the header: the section that crosses it is the current one. */
const BAND = '-15% 0px -84% 0px';

/** The anchor of the section in view, or null before the first. */
function useCurrentAnchor(anchors: string[]): string | null {
  const [current, setCurrent] = useState<string | null>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const inside = entries.find((entry) => entry.isIntersecting);
        if (inside) setCurrent(inside.target.id);
      },
      { rootMargin: BAND },
    );
    for (const anchor of anchors) {
      const section = document.getElementById(anchor);
      if (section) observer.observe(section);
    }
    return () => observer.disconnect();
  }, [anchors]);
  return current;
}

type SectionLink = { anchor: string; label: string; method?: string };
type PageLink = { href: string; label: string; isCurrent: boolean; sections: SectionLink[] };
export type ContentsGroup = { heading: string; links: PageLink[] };

const rowStyle = 'flex min-h-7 items-center gap-2 rounded-md px-2 py-1 max-lg:min-h-11';
const inactiveStyle = 'text-muted hover:bg-hover hover:text-ink';

/** The table of contents; marks the current page and section. */
export function DocsContents({ groups, onNavigate }: { groups: ContentsGroup[]; onNavigate?: () => void }) {
  const sections = useMemo(() => groups.flatMap(({ links }) => links.flatMap((link) => link.sections)), [groups]);
  const current = useCurrentAnchor(useMemo(() => sections.map(({ anchor }) => anchor), [sections]));
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const marked = current ? '[aria-current=location]' : '[aria-current=page]';
    nav.current?.querySelector(marked)?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const listener = onNavigate ? { onClick: onNavigate } : {};
  return (
    <nav ref={nav} aria-label="Contents" className="grid gap-5">
      {groups.map(({ heading, links }) => (
        <div key={heading}>
          <h2 className="mb-1 px-2 text-xs font-medium text-muted">{heading}</h2>
          <ul>
            {links.map(({ href, label, isCurrent, sections: own }) => (
              <li key={href}>
                <Link
                  href={href}
                  {...listener}
                  aria-current={isCurrent ? 'page' : undefined}
                  className={cn(rowStyle, isCurrent ? 'font-semibold text-ink' : inactiveStyle)}
                >
                  <span className="min-w-0 wrap-anywhere">{label}</span>
                </Link>
                {own.length > 0 && (
                  <ul className="mb-1 ml-2 border-l border-line pl-1">
                    {own.map(({ anchor, label: title, method }) => (
                      <li key={anchor}>
                        <a
                          href={`#${anchor}`}
                          {...listener}
                          aria-current={anchor === current ? 'location' : undefined}
                          className={cn(
                            rowStyle,
                            'text-[13px]',
                            anchor === current ? 'bg-accent-soft text-accent-ink' : inactiveStyle,
                          )}
                        >
                          {method && <MethodBadge method={method} className="w-12 shrink-0 text-center" />}
                          <span className="min-w-0 wrap-anywhere">{title}</span>
                        </a>
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
