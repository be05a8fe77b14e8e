'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';

/** Controls whether staff and applications may invite patients to sign in. */
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
