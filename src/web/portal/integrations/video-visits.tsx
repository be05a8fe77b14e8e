'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, RefreshCw, TriangleAlert } from 'lucide-react';
import type { VideoCheckView } from '#contract/video-servers.ts';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { type TriedRelay, tryRelay } from '../../ui/visit-call/try-way.ts';
import { Findings } from './findings.tsx';

type Checked = VideoCheckView & { relay: TriedRelay | null };

/** ICE servers of video visits: what they lack, and whether the service and this browser reach them. */
export function VideoVisits() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const known = useQuery(trpc.system.videoServers.queryOptions({}));
  const check = useMutation({
    mutationFn: async (): Promise<Checked> => {
      const view = await client.system.checkVideo.mutate({});
      const relays = view.ice_servers.filter(({ credential }) => credential !== undefined);
      return { ...view, relay: relays.length > 0 ? await tryRelay(relays) : null };
    },
    onError: (error) => toast.error(faultSentence(error)),
  });
  if (!known.data) return null;
  const { elsewhere, servers } = known.data;
  const findings = check.data?.findings ?? known.data.findings;
  return (
    <Card aria-label="Video visits">
      <CardHeader title="Video visits" description="How the browsers of a patient and a practitioner find each other" />
      <CardBody className="grid gap-4">
        {elsewhere ? (
          <p>Visits take place at {elsewhere}. Nothing of them is set up here.</p>
        ) : (
          <>
            {findings.length > 0 && <Findings findings={findings} />}
            <ul aria-label="Servers" className="grid gap-2 empty:hidden">
              {servers.map((url) => (
                <Answer key={url} of={url} answer={check.data?.servers.find((server) => server.url === url)} />
              ))}
              {check.data?.relay && (
                <Answer
                  of="From this browser, through the relay alone"
                  answer={{
                    works: check.data.relay.works,
                    words: check.data.relay.works
                      ? `There and back in ${check.data.relay.tookMs} ms`
                      : 'Nothing came through',
                  }}
                />
              )}
            </ul>
            {servers.length > 0 && (
              <div>
                <Button pending={check.isPending} onClick={() => check.mutate()}>
                  {!check.isPending && <RefreshCw aria-hidden />}
                  Check now
                </Button>
              </div>
            )}
          </>
        )}
      </CardBody>
    </Card>
  );
}

function Answer({ of, answer }: { of: string; answer: { works: boolean; words: string } | undefined }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
      <span className="min-w-0 wrap-anywhere">{of}</span>
      {answer && (
        <span className="flex items-center gap-1.5 text-[13px]">
          {answer.works ? (
            <CircleCheck aria-label="Works" className="size-4 shrink-0 text-accent-ink" />
          ) : (
            <TriangleAlert aria-label="Does not work" className="size-4 shrink-0 text-warn-ink" />
          )}
          {answer.words}
        </span>
      )}
    </li>
  );
}
