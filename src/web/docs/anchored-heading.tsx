import { Link2 } from 'lucide-react';
import type { ReactNode } from 'react';

type AnchoredHeadingProps = { level: 2 | 3; anchor: string; title: string; children?: ReactNode };

/** A heading with a link to itself; the surrounding section has the anchor. */
export function AnchoredHeading({ level, anchor, title, children }: AnchoredHeadingProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div className="group flex items-start gap-x-2">
      <Heading id={`${anchor}-title`} className={level === 2 ? 'text-lg font-semibold' : 'text-base font-semibold'}>
        {title}
      </Heading>
      {children}
      <a
        href={`#${anchor}`}
        aria-label={`Link to ${title}`}
        className="shrink-0 rounded-sm p-1 text-muted opacity-0 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 pointer-coarse:opacity-100"
      >
        <Link2 aria-hidden className="size-4" />
      </a>
    </div>
  );
}
