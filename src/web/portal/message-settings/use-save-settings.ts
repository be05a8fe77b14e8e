'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MessageSettings, MessageSettingsView } from '#contract/message-settings.ts';
import { faultSentence } from '#web/ui/api-faults.ts';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

/** Keeps the settings as they are now, and shows them; for forms, which say themselves what is wrong. */
export function useKeepSettings({ version }: MessageSettingsView) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  return async (settings: MessageSettings, done?: string): Promise<MessageSettingsView> => {
    const now = await client.messageSettings.update.mutate({ version, settings });
    if (done) toast.success(done);
    queries.setQueryData(trpc.messageSettings.get.queryKey({}), now);
    return now;
  };
}

/** The same behind a button. */
export function useSaveSettings(kept: MessageSettingsView) {
  const keep = useKeepSettings(kept);
  return useMutation({
    mutationFn: ({ settings, done }: { settings: MessageSettings; done: string }) => keep(settings, done),
    onError: (error) => toast.error(faultSentence(error)),
  });
}
