'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { NoteDraftView } from '#contract/notes.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Card } from '#web/ui/card.tsx';
import { cn } from '#web/ui/cn.ts';
import { pluralize } from '#web/ui/count-label.ts';
import { FormError } from '#web/ui/form-error.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { NoteItem } from './note-item.tsx';

type FoundNotesProps = { patientId: string; search: string; drafts: NoteDraftView[] };

/** The notes about a patient that contain each word of a search. */
export function FoundNotes({ patientId, search, drafts }: FoundNotesProps) {
  const client = useTRPCClient();
  const found = useQuery({
    // A change of a note invalidates it, as the lists of the same router.
    queryKey: [['notes', 'search'], patientId, search],
    queryFn: ({ signal }) => client.notes.search.mutate({ patient_id: patientId, search }, { signal }),
    placeholderData: keepPreviousData,
    // The audit log has each search, so that none is repeated automatically.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { data, error, isPlaceholderData } = found;
  if (error && !data) return <FormError>{firstErrorMessage(error)}</FormError>;
  const count = data?.items.length ?? 0;
  return (
    <>
      <p role="status" className="text-[13px] text-muted wrap-anywhere print:hidden">
        {!data
          ? 'Searching…'
          : count === 0
            ? `No note contains “${search}”.`
            : `${pluralize(count, 'note')} found${data.more ? '; there are more. Add a word to narrow the search.' : ''}`}
      </p>
      {data && count > 0 && (
        <Card
          aria-busy={isPlaceholderData || undefined}
          className={cn('print:hidden', isPlaceholderData && 'opacity-60')}
        >
          <ul aria-label="Notes found" className="divide-y divide-line">
            {data.items.map((note) => (
              <NoteItem key={note.id} note={note} drafts={drafts} hidesAppointment={false} search={search} />
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
