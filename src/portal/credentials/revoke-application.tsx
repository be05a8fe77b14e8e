'use client';
import { useMutation } from '@tanstack/react-query';
import type { ApplicationView } from '#contract/settings.ts';
import { AlertDialog } from '#portal/ui/alert-dialog.tsx';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { toast } from '#portal/ui/toast.ts';
import { useTRPC } from '../trpc-client.tsx';
import { useRefreshApplications } from './use-refresh-applications.ts';

export function RevokeApplication({ application, onClose }: { application: ApplicationView; onClose: () => void }) {
  const trpc = useTRPC();
  const refresh = useRefreshApplications();
  const revoke = useMutation(
    trpc.applications.revoke.mutationOptions({
      onSuccess: () => {
        toast.success('Application revoked');
        onClose();
        return refresh();
      },
    }),
  );
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke ${application.name}?`}
      description="Its secrets and tokens stop working at once, and it cannot be brought back."
      confirmLabel="Revoke application"
      keepLabel="Keep it"
      danger
      pending={revoke.isPending}
      error={revoke.error ? faultSentence(revoke.error) : undefined}
      onConfirm={() => revoke.mutate({ id: application.id })}
    />
  );
}
