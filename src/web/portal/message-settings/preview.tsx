'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MessageSettings } from '#contract/message-settings.ts';
import type { MessageKind } from '#contract/message-words.ts';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

type View = 'letter' | 'plain' | 'text';
const VIEWS: { value: View; label: string }[] = [
  { value: 'letter', label: 'Email' },
  { value: 'plain', label: 'Email without pictures' },
  { value: 'text', label: 'Text message' },
];

type PreviewProps = { kind: MessageKind; language: string; settings: MessageSettings };

/** A message as a patient with this language gets it, for a sample appointment. */
export function Preview({ kind, language, settings }: PreviewProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [view, setView] = useState<View>('letter');
  const preview = useQuery({
    queryKey: ['message-preview', kind, language, settings],
    queryFn: () => client.messageSettings.preview.mutate({ kind, language, settings }),
    retry: false,
  });
  const clinic = useQuery(trpc.clinic.get.queryOptions({}));
  return (
    <section aria-label="Preview" className="min-w-0 rounded-lg border border-line p-4">
      <h3 className="mb-2 font-semibold">Preview</h3>
      <ViewTabs label="Shown as" options={VIEWS} value={view} onChange={setView} />
      {preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
      ) : !preview.data ? (
        <Skeleton className="h-60" />
      ) : view === 'text' ? (
        <p className="wrap-anywhere whitespace-pre-wrap">{preview.data.sms}</p>
      ) : (
        <>
          <p className="mb-3 font-medium wrap-anywhere" lang={preview.data.language}>
            {preview.data.subject}
          </p>
          {view === 'plain' ? (
            <p className="wrap-anywhere whitespace-pre-wrap">{preview.data.text}</p>
          ) : (
            <div className="grid gap-3">
              {clinic.data?.logo && (
                // biome-ignore lint/performance/noImgElement: the clinic's own logo, as emails show it
                <img src={clinic.data.logo.path} alt="" className="max-h-10 max-w-60 justify-self-start" />
              )}
              {preview.data.paragraphs.map(({ words, isLink }) => (
                <p
                  key={words}
                  className={isLink ? 'text-accent-ink wrap-anywhere underline' : 'wrap-anywhere whitespace-pre-wrap'}
                >
                  {words}
                </p>
              ))}
              <p>{clinic.data?.name}</p>
            </div>
          )}
        </>
      )}
    </section>
  );
}
