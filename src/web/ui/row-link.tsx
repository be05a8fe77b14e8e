import Link from 'next/link';
import type { ReactNode } from 'react';

/**
 * The link of a table row: the whole row is clickable. A long name wraps, instead of narrowing the other columns. Other
 * controls in the row need `relative`.
 */
export function RowLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      className="inline-block font-medium wrap-anywhere md:max-w-36 lg:max-w-56 xl:max-w-sm outline-none after:absolute after:inset-0 focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-ring"
    >
      {children}
    </Link>
  );
}
