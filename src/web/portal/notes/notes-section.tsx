'use client';
import { Card } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { useMay } from '../me.tsx';
import type { NotesFilter } from './loaded-notes.ts';
import { loadNotesList, useNotes } from './use-notes.ts';

type NotesSectionProps = NotesFilter & {
  /** The record was merged into another one, which has its notes: none can be written here. */
  isMerged?: boolean;
};

/** The notes about a patient, or of one appointment. Only for staff who may read them. */
export function NotesSection({ isMerged = false, ...filter }: NotesSectionProps) {
  return useMay('notes:read') && <Section filter={filter} isMerged={isMerged} />;
}

function Section({ filter, isMerged }: { filter: NotesFilter; isMerged: boolean }) {
  const list = useNotes(filter);
  const { notes, error, onRetry } = list;
  const NotesList = useLazyComponent(loadNotesList, !error, () => {});
  if (error)
    return (
      <Card aria-label="Notes">
        <ErrorState error={error} onRetry={onRetry} />
      </Card>
    );
  return notes && NotesList ? (
    <NotesList filter={filter} list={{ ...list, notes }} isMerged={isMerged} />
  ) : (
    <Skeleton className="h-14" />
  );
}
