'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { Badge } from '#portal/ui/badge.tsx';
import { Button } from '#portal/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#portal/ui/card.tsx';
import { toast } from '#portal/ui/toast.ts';
import { useMe } from '../me.tsx';
import { useTRPC } from '../trpc-client.tsx';

/** Whether staff and applications may invite patients to sign in themselves. */
export function InvitationsCard() {
  const trpc = useTRPC();
  const router = useRouter();
  const enabled = useMe().tenant.invites_enabled;
  const turn = useMutation(
    trpc.invitations.turn.mutationOptions({
      onSuccess: () => {
        toast.success(enabled ? 'Invitations are off' : 'Invitations are on');
        router.refresh();
      },
      onError: (error) => toast.error(faultSentence(error)),
    }),
  );
  return (
    <Card aria-label="Invitations">
      <CardHeader
        title="Invitations"
        description="Staff and your applications invite patients by mail or text."
        actions={
          <Button size="sm" pending={turn.isPending} onClick={() => turn.mutate({ enabled: !enabled })}>
            {enabled ? 'Turn off' : 'Turn on'}
          </Button>
        }
      />
      <CardBody>
        <Badge tone={enabled ? 'good' : 'neutral'} dot>
          {enabled ? 'Patients can be invited' : 'Patients cannot be invited'}
        </Badge>
      </CardBody>
    </Card>
  );
}
