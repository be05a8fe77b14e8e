import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { getPageUser } from '#server/http/page-data.ts';
import { PortalFrame } from '#web/portal/frame/portal-frame.tsx';

export default async function PortalLayout({ children }: { children: ReactNode }) {
  const given = await headers();
  const me = await getPageUser(given);
  if (!me) redirect(`/sign-in?callbackUrl=${encodeURIComponent(given.get('x-path') ?? '/')}`);
  return <PortalFrame me={me}>{children}</PortalFrame>;
}
