'use client';
import type { NoteDraftView, NoteView } from '#contract/notes.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { usePages } from '../use-pages.ts';

const PAGE_SIZE = 20;

export type NotesFilter = {
  patientId: string;
  /** Only the notes of one appointment. */
  appointmentId?: string;
};

/** The notes about a patient or one of their appointments, with the caller's drafts. Not loaded without the permission. */
export function useNotes({ patientId, appointmentId }: NotesFilter) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const enabled = useMay('notes:read');
  const input = { patient_id: patientId, ...(appointmentId && { appointment_id: appointmentId }), size: PAGE_SIZE };
  const { rows, stale, firstPage, error, ...pages } = usePages<NoteView, { drafts: NoteDraftView[] }>({
    enabled,
    queryKey: trpc.notes.show.queryKey(input),
    read: (from, signal) => client.notes.show.query({ ...input, ...from }, { signal }),
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
