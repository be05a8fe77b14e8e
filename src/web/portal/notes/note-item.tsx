'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NoteDraftView, NoteView } from '#contract/notes.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { Link } from '#web/ui/link.tsx';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { useMay } from '../me.tsx';
import { authorOf, UNKNOWN_AUTHOR } from './author.ts';
import { draftOf, hasUnstored } from './drafts.ts';
import { loadChangeNoteForm } from './load-note-form.ts';
import { NoteMenu } from './note-menu.tsx';
import { NoteText } from './note-text.tsx';
import { useReturnFocusTo } from './use-return-focus-to.ts';

type NoteItemProps = {
  note: NoteView;
  drafts: NoteDraftView[];
  /** On the page of the appointment its name is redundant. */
  hidesAppointment: boolean;
  search?: string;
};

/** One note of a list, or the form that changes it. */
export function NoteItem({ note, drafts, hidesAppointment, search }: NoteItemProps) {
  const [isChanging, setChanging] = useState(false);
  const queries = useQueryClient();
  const mayWrite = useMay('notes:write');
  const button = useReturnFocusTo(isChanging);
  const close = () => setChanging(false);
  const ChangeNoteForm = useLazyComponent(loadChangeNoteForm, isChanging, close);
  const target = { target_type: 'note', target_id: note.id } as const;
  const stored = draftOf(drafts, target);
  if (isChanging && ChangeNoteForm)
    return (
      <li className="px-4 py-3">
        <ChangeNoteForm note={note} stored={stored} onClose={close} />
      </li>
    );
  return (
    <li className="flex items-start justify-between gap-3 px-4 py-3">
      <div className="grid min-w-0 flex-1 gap-1">
        {note.text !== null && <NoteText text={note.text} search={search} />}
        <NoteFacts note={note} hidesAppointment={hidesAppointment} />
        {mayWrite && (stored || hasUnstored(queries, target)) && (
          <p className="print:hidden">
            <Button variant="link" size="sm" onClick={() => setChanging(true)}>
              Continue your draft
            </Button>
          </p>
        )}
      </div>
      <NoteMenu note={note} button={button} onChange={() => setChanging(true)} />
    </li>
  );
}

/** Who wrote the note, when, and what it is about. */
function NoteFacts({ note, hidesAppointment }: { note: NoteView; hidesAppointment: boolean }) {
  const { text, version, pinned, appointment, created_at, updated_at } = note;
  const editor = note.updated_by_name ?? UNKNOWN_AUTHOR;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-[13px] text-muted wrap-anywhere">
      {pinned && <Badge>Pinned</Badge>}
      {text === null ? (
        <p>
          Removed by {editor} on <DateTime value={updated_at} />
        </p>
      ) : (
        <p>
          {authorOf(note)}, <DateTime value={created_at} />
          {version > 1 && (
            <>
              , changed by {editor} on <DateTime value={updated_at} />
            </>
          )}
        </p>
      )}
      {appointment && !hidesAppointment && (
        <Link
          href={`/appointments/${appointment.id}`}
          className="inline-block rounded-sm py-0.5 text-accent-ink hover:underline"
        >
          {appointment.type}, <DateTime value={appointment.from_date} shape="date" />
        </Link>
      )}
    </div>
  );
}
