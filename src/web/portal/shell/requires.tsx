'use client';
import { ShieldAlert } from 'lucide-react';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import type { Permission } from '#contract/roles.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { useMay } from '../me.tsx';
import { neededFor } from './navigation.ts';

/** Shows the restriction before a request is made. The server enforces it: it rejects the calls of these pages. */
export function Requires({ permission, children }: { permission: Permission; children: ReactNode }) {
  if (useMay(permission)) return children;
  return (
    <>
      <PageHeader title="Not open to your role" />
      <EmptyState
        icon={ShieldAlert}
        title="Your role does not include this page"
        description="Ask an administrator of your clinic if you need it."
      />
    </>
  );
}

/** The same with the permission that the navigation names for a settings page. */
export function RequiresOfPage({ children }: { children: ReactNode }) {
  return <Requires permission={neededFor(usePathname())}>{children}</Requires>;
}
