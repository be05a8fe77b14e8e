'use client';
import { Card } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { useMay } from '../me.tsx';
import type { NotesFilter } from './loaded-notes.ts';
import { loadNotesList, useNotes } from './use-notes.ts';

/** The notes about a patient, or of one appointment. Only for staff who may read them. */
export function NotesSection(filter: NotesFilter) {
  return useMay('notes:read') && <Section filter={filter} />;
}

function Section({ filter }: { filter: NotesFilter }) {
  const list = useNotes(filter);
  const { notes, error, onRetry } = list;
  const NotesList = useLazyComponent(loadNotesList, !error, () => {});
  if (error)
    return (
      <Card aria-label="Notes">
        <ErrorState error={error} onRetry={onRetry} />
      </Card>
    );
  return notes && NotesList ? <NotesList filter={filter} list={{ ...list, notes }} /> : <Skeleton className="h-14" />;
}
