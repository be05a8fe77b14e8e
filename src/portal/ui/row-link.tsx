import Link from 'next/link';
import type { ReactNode } from 'react';

/** The link of a table row: its name is read, and the whole row can be pressed. Other controls in the row need `relative`. */
export function RowLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      className="font-medium outline-none after:absolute after:inset-0 focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-ring"
    >
      {children}
    </Link>
  );
}
