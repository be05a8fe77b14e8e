'use client';
import { ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { useMe } from '../me.tsx';

/**
 * Shows the restriction before a request is made. The server enforces it: it rejects every call of these pages by
 * others.
 */
export function AdminOnly({ children }: { children: ReactNode }) {
  if (useMe().user.role === 'admin') return children;
  return (
    <>
      <PageHeader title="Admins only" />
      <EmptyState
        icon={ShieldAlert}
        title="Only administrators can open this page"
        description="Ask an administrator of your clinic if something here needs to change."
      />
    </>
  );
}
