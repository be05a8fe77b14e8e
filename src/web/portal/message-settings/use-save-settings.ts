'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MessageSettings, MessageSettingsView } from '#contract/message-settings.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

/** Saves the settings and updates the cache; rejects on error, which a form then shows. */
export function useUpdateSettings({ version }: MessageSettingsView) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  return async (settings: MessageSettings, done?: string): Promise<MessageSettingsView> => {
    const updated = await client.messageSettings.update.mutate({ version, settings });
    if (done) toast.success(done);
    queries.setQueryData(trpc.messageSettings.get.queryKey({}), updated);
    return updated;
  };
}

/** Saves the settings from a button; an error shows as a toast. */
export function useSaveSettings(saved: MessageSettingsView) {
  const update = useUpdateSettings(saved);
  return useMutation({
    mutationFn: ({ settings, done }: { settings: MessageSettings; done: string }) => update(settings, done),
    onError: (error) => toast.error(firstErrorMessage(error)),
  });
}
