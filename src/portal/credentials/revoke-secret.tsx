'use client';
import { useMutation } from '@tanstack/react-query';
import type { ApplicationView } from '#contract/settings.ts';
import { AlertDialog } from '#portal/ui/alert-dialog.tsx';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { toast } from '#portal/ui/toast.ts';
import { useTRPC } from '../trpc-client.tsx';
import { useRefreshApplications } from './use-refresh-applications.ts';

type RevokeSecretProps = {
  application: ApplicationView;
  secret: ApplicationView['secrets'][number];
  onClose: () => void;
};

export function RevokeSecret({ application, secret, onClose }: RevokeSecretProps) {
  const trpc = useTRPC();
  const refresh = useRefreshApplications();
  const revoke = useMutation(
    trpc.applications.revokeSecret.mutationOptions({
      onSuccess: () => {
        toast.success('Secret revoked');
        onClose();
        return refresh();
      },
    }),
  );
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke the secret ending in ${secret.hint}?`}
      description={`Servers of ${application.name} that still use it can no longer sign in.`}
      confirmLabel="Revoke secret"
      danger
      pending={revoke.isPending}
      error={revoke.error ? faultSentence(revoke.error) : undefined}
      onConfirm={() => revoke.mutate({ id: application.id, secret_id: secret.id })}
    />
  );
}
