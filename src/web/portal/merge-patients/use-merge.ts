'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { MergeField, MergePreviewView } from '#contract/merge-patients.ts';
import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

/** What staff are asked to confirm, as it was shown to them. */
export type Confirming = { preview: MergePreviewView; take: MergeField[] };

/** Identifies the state of both records that was compared. */
export const versionOf = ({ patient, other }: MergePreviewView): string =>
  [patient.id, patient.updated_at, other.id, other.updated_at].join(' ');

/** The comparison of two records, and merging them; `isComparable` is false until the other one is chosen. */
export function useMerge({ id, otherId, isComparable }: { id: string; otherId: string; isComparable: boolean }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const router = useRouter();
  const [confirming, setConfirming] = useState<Confirming | null>(null);
  const [conflict, setConflict] = useState<string | null>(null);
  const [first, setFirst] = useState<MergePreviewView | null>(null);
  const query = useQuery({
    ...trpc.patients.previewMerge.queryOptions({ id, other_id: otherId }),
    enabled: isComparable,
    staleTime: 0,
  });
  const mutation = useMutation({
    mutationFn: ({ preview: { patient, other }, take }: Confirming) =>
      client.patients.merge.mutate({
        id,
        other_id: other.id,
        take,
        updated_at: patient.updated_at,
        other_updated_at: other.updated_at,
      }),
    onSuccess: async (patient) => {
      queries.setQueryData(trpc.patients.get.queryKey({ id }), patient);
      // Nothing is refetched here: the comparison would show the merged record before the page changes.
      await queries.invalidateQueries({ refetchType: 'none' });
      toast.success('The records were merged');
    },
    onError: (error) => {
      void query.refetch();
      if (readApiErrors(error)[0].code !== 'conflict') return;
      setConflict(firstErrorMessage(error));
      setConfirming(null);
    },
  });
  // While the question is open, the page shows what it asks about.
  const preview = confirming?.preview ?? (isComparable ? query.data : undefined);
  if (preview && first?.other.id !== preview.other.id) setFirst(preview);
  return {
    preview,
    error: preview ? null : query.error,
    retry: () => void query.refetch(),
    /** Whether a record was changed since it was shown first. */
    isChanged: preview !== undefined && first?.other.id === preview.other.id && versionOf(first) !== versionOf(preview),
    conflict,
    confirming,
    ask: (next: Confirming) => {
      setConflict(null);
      mutation.reset();
      setConfirming(next);
    },
    /** Also when another record is chosen. */
    cancel: () => {
      if (mutation.isPending) return;
      setConflict(null);
      setConfirming(null);
    },
    merge: () => confirming && mutation.mutate(confirming, { onSuccess: () => router.replace(`/patients/${id}`) }),
    isMerging: mutation.isPending || mutation.isSuccess,
    mergeError: mutation.error,
  };
}
