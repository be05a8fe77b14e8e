'use client';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Scope } from '#contract/scopes.ts';
import type { SampleTokenView } from '#contract/settings.ts';
import { Button } from '#web/ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { type ReaderData, useReaderData } from './reader-data.tsx';
import type { ReaderIds } from './reader-ids.ts';

/** The list of each kind of resource, and the scope that reads it. */
const LISTS = {
  patientId: ['/patients', 'patients:read'],
  appointmentId: ['/appointments', 'appointments:read'],
  subscriptionId: ['/subscriptions', 'subscriptions:read'],
  paymentId: ['/payments', 'subscriptions:read'],
  webhookEndpointId: ['/webhook_endpoints', 'webhooks:read'],
  eventId: ['/events', 'events:read'],
} as const satisfies Partial<Record<keyof ReaderIds, readonly [list: string, scope: Scope]>>;

/**
 * Requests a token for an application of the reader's sandbox, and the first id of each kind of resource that its
 * scopes permit.
 * @throws when the reader is not signed in, or may not have a token
 */
async function fetchReaderData(applicationId: string): Promise<ReaderData> {
  const response = await fetch('/api/trpc/applications.giveSampleToken', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-carelane-portal': '1' },
    body: JSON.stringify({ id: applicationId }),
  });
  const { result } = (await response.json()) as { result: { data: SampleTokenView } };
  const { access_token: token, scopes } = result.data;
  const ids = await Promise.all(
    Object.entries(LISTS)
      .filter(([, [, scope]]) => scopes.includes(scope) || scopes.includes('admin'))
      .map(async ([name, [list]]) => [name, await firstOf(list, token)] as const),
  );
  return { token, values: Object.fromEntries(ids.filter(([, id]) => id !== undefined)) };
}

async function firstOf(list: string, token: string): Promise<string | undefined> {
  try {
    const response = await fetch(`/api/v1${list}?size=1`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) return undefined;
    const [first] = (await response.json()) as { id: string }[];
    return first?.id;
  } catch {
    return undefined;
  }
}

/** Gives the admin of a sandbox a token of one of its applications, and own ids, for the samples. */
export function SampleToken({ applicationId }: { applicationId: string }) {
  const { data, setData } = useReaderData();
  const [state, setState] = useState<'idle' | 'loading' | 'failed'>('idle');
  const load = async () => {
    setState('loading');
    try {
      setData(await fetchReaderData(applicationId));
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  if (data)
    return (
      <div className="grid gap-2">
        <CodeBlock
          isFullHeight
          title="Token, good for 60 minutes"
          of="your sandbox"
          code={`export TOKEN=${data.token}`}
        />
        <p className="text-muted">
          The samples of curl and Python below take it from there, and have ids of your sandbox where it has such a
          thing. In TypeScript, give the client{' '}
          <code className="font-mono text-[13px]">tokens: async () =&gt; process.env.TOKEN ?? ''</code>.
        </p>
      </div>
    );
  return (
    <div className="grid justify-items-start gap-2">
      <Button pending={state === 'loading'} onClick={() => void load()}>
        <KeyRound aria-hidden />
        Get a token and ids of your sandbox
      </Button>
      <p className="text-muted">
        Until then patients, appointments and the like are made up in the samples. Dates lie in the days to come; a time
        to book has to be one of <code className="font-mono text-[13px]">GET /availability</code>.
      </p>
      {state === 'failed' && (
        <p role="alert" className="text-danger-ink">
          No token was given. Sign in to the portal as an administrator, and try again.
        </p>
      )}
    </div>
  );
}
