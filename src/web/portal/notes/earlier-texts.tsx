'use client';
import { useQuery } from '@tanstack/react-query';
import type { NoteView } from '#contract/notes.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { Dialog, DialogBody } from '#web/ui/dialog.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { authorOf, UNKNOWN_AUTHOR } from './author.ts';
import { NoteText } from './note-text.tsx';

/** What a note said before it was changed or removed, the latest first. */
export function EarlierTexts({ note, onClose }: { note: NoteView; onClose: () => void }) {
  const trpc = useTRPC();
  const versions = useQuery(trpc.notes.listVersions.queryOptions({ id: note.id }));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Earlier texts"
      description={
        <>
          Of the note of {authorOf(note)}, <DateTime value={note.created_at} />
        </>
      }
    >
      <DialogBody className="pb-5">
        {versions.error ? (
          <ErrorState error={versions.error} onRetry={() => void versions.refetch()} />
        ) : !versions.data ? (
          <p role="status">
            <Skeleton className="h-16" />
            <span className="sr-only">Loading…</span>
          </p>
        ) : (
          <ol className="divide-y divide-line border-t border-line">
            {versions.data.map(({ version, text, written_by_name, written_at }) => (
              <li key={version} className="grid gap-1 py-3">
                {text !== null && <NoteText text={text} />}
                <p className="text-[13px] text-muted wrap-anywhere">
                  {text === null ? 'Removed by ' : ''}
                  {written_by_name ?? UNKNOWN_AUTHOR}
                  {text === null ? ' on' : ','} <DateTime value={written_at} />
                </p>
              </li>
            ))}
          </ol>
        )}
      </DialogBody>
    </Dialog>
  );
}
