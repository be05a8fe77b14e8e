import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { getPageUser } from '#server/http/page-data.ts';
import { PortalFrame } from '#web/portal/frame/portal-frame.tsx';
import { currentMinute } from '#web/ui/minute-clock.ts';

export default async function PortalLayout({ children }: { children: ReactNode }) {
  const requestHeaders = await headers();
  const me = await getPageUser(requestHeaders);
  if (!me) redirect(`/sign-in?callbackUrl=${encodeURIComponent(requestHeaders.get('x-path') ?? '/')}`);
  return (
    <PortalFrame me={me} renderedAt={currentMinute()}>
      {children}
    </PortalFrame>
  );
}
