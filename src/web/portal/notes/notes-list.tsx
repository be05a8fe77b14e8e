'use client';
import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { cn } from '#web/ui/cn.ts';
import { LoadMore } from '#web/ui/pagination.tsx';
import { SearchInput } from '#web/ui/search-input.tsx';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { whenIdle } from '#web/ui/when-idle.ts';
import { useMay } from '../me.tsx';
import { type DraftTarget, draftOf, hasUnstored } from './drafts.ts';
import { FoundNotes } from './found-notes.tsx';
import { loadNewNoteForm, prepareToWrite } from './load-note-form.ts';
import type { LoadedNotes, NotesFilter } from './loaded-notes.ts';
import { NoteItem } from './note-item.tsx';
import { useReturnFocusTo } from './use-return-focus-to.ts';

/** Fewer notes are read at a glance. */
const MIN_TO_SEARCH = 5;

type NotesListProps = { filter: NotesFilter; list: LoadedNotes; isMerged: boolean };

/** Loaded with the notes. */
export function NotesList({ filter, list: { notes, drafts, more }, isMerged }: NotesListProps) {
  const { patientId, appointmentId } = filter;
  const queries = useQueryClient();
  const mayWrite = useMay('notes:write') && !isMerged;
  const headingId = useId();
  const [isWriting, setWriting] = useState(false);
  const [search, setSearch] = useState('');
  const button = useReturnFocusTo(isWriting);
  const close = () => setWriting(false);
  const NewNoteForm = useLazyComponent(loadNewNoteForm, isWriting, close);
  useEffect(() => {
    if (mayWrite) return whenIdle(prepareToWrite);
  }, [mayWrite]);
  const target: DraftTarget = appointmentId
    ? { target_type: 'appointment', target_id: appointmentId }
    : { target_type: 'patient', target_id: patientId };
  const stored = draftOf(drafts, target);
  const isFormOpen = isWriting && NewNoteForm !== null;
  // A search finds all notes about the patient.
  const maySearch = !appointmentId && (more.total?.count ?? 0) >= MIN_TO_SEARCH;
  const words = maySearch ? search.trim() : '';
  return (
    <section aria-labelledby={headingId} className="grid min-w-0 gap-2">
      <div className="flex min-h-7 items-center justify-between gap-3">
        <h2 id={headingId} className="font-semibold">
          Notes
        </h2>
        {mayWrite && !isFormOpen && (
          <Button ref={button} size="sm" className="print:hidden" onClick={() => setWriting(true)}>
            <Plus aria-hidden />
            {stored || hasUnstored(queries, target) ? 'Continue your draft' : 'Write a note'}
          </Button>
        )}
      </div>
      {isFormOpen && (
        <Card className="px-4 py-3 print:hidden">
          <NewNoteForm {...filter} target={target} stored={stored} onClose={close} />
        </Card>
      )}
      {maySearch && (
        <SearchInput
          label="Search the notes"
          value={search}
          onSearch={setSearch}
          className="max-w-sm max-md:max-w-none print:hidden"
        />
      )}
      {words && <FoundNotes patientId={patientId} search={words} drafts={drafts} />}
      {notes.length === 0 ? (
        !isFormOpen && (
          <p className="text-muted">{isMerged ? 'The other record has the notes now.' : 'No notes yet.'}</p>
        )
      ) : (
        // Hidden during a search, so that a form in it stays open.
        <Card className={cn('overflow-hidden', words && 'hidden print:block')}>
          <ul className="divide-y divide-line" aria-labelledby={headingId}>
            {notes.map((note) => (
              <NoteItem key={note.id} note={note} drafts={drafts} hidesAppointment={appointmentId !== undefined} />
            ))}
          </ul>
          {more.hasMore && <LoadMore {...more} count={notes.length} noun="note" />}
        </Card>
      )}
    </section>
  );
}
