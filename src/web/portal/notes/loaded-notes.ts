import type { NoteDraftView, NoteView } from '#contract/notes.ts';

export type NotesFilter = {
  patientId: string;
  /** Only the notes of one appointment. */
  appointmentId?: string;
};

export type LoadedNotes = {
  notes: NoteView[];
  /** The caller's own, about the patient. */
  drafts: NoteDraftView[];
  more: {
    total: { count: number; capped: boolean } | undefined;
    hasMore: boolean;
    pending: boolean;
    onMore: () => void;
  };
};
