'use client';
import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { MAX_ORIGINS } from '#contract/websites.ts';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import { AddOrigin } from './add-origin.tsx';

const RemoveOrigin = dynamic(() => import('./remove-origin.tsx').then((module) => module.RemoveOrigin), { ssr: false });

/** Websites whose pages may call the API from a patient's browser. */
export function AllowedOrigins() {
  const trpc = useTRPC();
  const origins = useQuery(trpc.applications.allowedOrigins.queryOptions({}));
  const [removing, setRemoving] = useState<string | null>(null);
  const isSandbox = useMe().environment === 'sandbox';
  return (
    <Card aria-label="Allowed origins">
      <CardHeader
        title="Allowed origins"
        description="The websites where your app runs in a browser. Servers and native apps need no entry; an app wrapped by Capacitor or Ionic needs capacitor://localhost or ionic://localhost."
      />
      {origins.error ? (
        <ErrorState error={origins.error} onRetry={() => void origins.refetch()} />
      ) : (
        <CardBody className="grid gap-4">
          {!origins.data ? (
            <Skeleton className="h-16" />
          ) : (
            <>
              {origins.data.length > 0 ? (
                <OriginList origins={origins.data} onRemove={setRemoving} />
              ) : (
                <p className="text-muted">
                  No website is listed, so no page on the internet can call the API from a browser.
                </p>
              )}
              {isSandbox && (
                <p className="text-[13px] text-muted">
                  This is a sandbox: pages on a developer’s own machine (localhost) may call it without an entry.
                </p>
              )}
              {origins.data.length < MAX_ORIGINS ? (
                <AddOrigin listed={origins.data} />
              ) : (
                <p className="text-muted">These are {MAX_ORIGINS}, which is the most. Remove one to add another.</p>
              )}
            </>
          )}
        </CardBody>
      )}
      {removing && origins.data && (
        <RemoveOrigin origin={removing} listed={origins.data} onClose={() => setRemoving(null)} />
      )}
    </Card>
  );
}

function OriginList({ origins, onRemove }: { origins: string[]; onRemove: (origin: string) => void }) {
  return (
    <ul aria-label="Listed websites" className="divide-y divide-line rounded-md border border-line">
      {origins.map((origin) => (
        <li key={origin} className="flex items-center justify-between gap-3 py-1 pr-1 pl-3">
          <code className="font-mono text-[13px] wrap-anywhere">{origin}</code>
          <IconButton icon={Trash2} label={`Remove ${origin}`} onClick={() => onRemove(origin)} />
        </li>
      ))}
    </ul>
  );
}
