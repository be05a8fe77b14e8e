'use client';
import type { NoteDraftView, NoteView } from '#contract/notes.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { usePages } from '../use-pages.ts';
import type { NotesFilter } from './loaded-notes.ts';

const PAGE_SIZE = 20;

export const loadNotesList = () => import('./notes-list.tsx').then((module) => module.NotesList);

/** The notes about a patient or one of their appointments, with the caller's drafts. Not loaded without the permission. */
export function useNotes({ patientId, appointmentId }: NotesFilter) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const enabled = useMay('notes:read');
  const input = { patient_id: patientId, ...(appointmentId && { appointment_id: appointmentId }), size: PAGE_SIZE };
  const { rows, stale, firstPage, error, ...pages } = usePages<NoteView, { drafts: NoteDraftView[] }>({
    enabled,
    queryKey: trpc.notes.show.queryKey(input),
    // With the code that shows them, so that a page which waits for the notes does not shift.
    read: async (from, signal) => {
      const [page] = await Promise.all([client.notes.show.query({ ...input, ...from }, { signal }), loadNotesList()]);
      return page;
    },
  });
  // Never the notes about the patient before.
  const notes = stale ? undefined : rows;
  return {
    ...pages,
    notes,
    error,
    drafts: (!stale && firstPage?.drafts) || [],
    isLoading: enabled && !notes && !error,
  };
}
