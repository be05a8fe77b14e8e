import { z } from 'zod';
import { Id, integer, isStorable, type Page, storable } from './conventions.ts';
import { MAX_NOTE_LENGTH } from './limits.ts';

/** Control characters other than a tab and the end of a line. */
const CONTROL = /[^\P{Cc}\t\n]/u;
/** Plain text with paragraphs; HTML in it is text. */
const NoteText = z
  .string()
  .overwrite((value) => value.replace(/\r\n?/g, '\n').trim())
  .max(MAX_NOTE_LENGTH)
  .refine(isStorable, 'must not contain NUL characters or unpaired surrogates')
  .refine((value) => !CONTROL.test(value), 'must not contain control characters')
  .refine((value) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(value), 'must not be empty');

const NoteId = Id.meta({ description: 'The id of the note, a UUIDv7.' });
export const NoteIdInput = z.strictObject({ id: NoteId });
export type NoteIdInput = z.infer<typeof NoteIdInput>;

/** What a note is written about, or the note that is changed. */
const NoteTarget = { target_type: z.enum(['patient', 'appointment', 'note']), target_id: Id };

export const ShowNotesInput = z.strictObject({
  patient_id: Id,
  appointment_id: Id.optional().meta({ description: 'Only the notes of one appointment.' }),
  size: integer(1, 100).optional(),
  starting_after: Id.optional(),
  with_total: z.boolean().optional(),
});
export type ShowNotesInput = z.infer<typeof ShowNotesInput>;

export const SearchNotesInput = z.strictObject({ patient_id: Id, search: storable(200) });
export type SearchNotesInput = z.infer<typeof SearchNotesInput>;

export const CreateNoteInput = z.strictObject({
  patient_id: Id,
  appointment_id: Id.optional(),
  text: NoteText,
  pinned: z.boolean().optional(),
});
export type CreateNoteInput = z.infer<typeof CreateNoteInput>;

/** Omitted fields stay unchanged. */
export const UpdateNoteInput = z
  .strictObject({
    id: NoteId,
    /** `null` removes the note; its earlier texts stay. */
    text: NoteText.nullable().optional(),
    /** The version that the text replaces. */
    version: integer(1, 1_000_000).optional(),
    pinned: z.boolean().optional(),
  })
  .refine(({ text, version }) => text === undefined || version !== undefined, {
    path: ['version'],
    error: 'must be given with a text',
  });
export type UpdateNoteInput = z.infer<typeof UpdateNoteInput>;

/** An empty text deletes the draft. */
export const SaveNoteDraftInput = z.strictObject({
  ...NoteTarget,
  text: storable(MAX_NOTE_LENGTH),
  version: integer(1, 1_000_000).optional(),
});
export type SaveNoteDraftInput = z.infer<typeof SaveNoteDraftInput>;

export type NoteView = {
  id: string;
  patient_id: string;
  /** The appointment that it is about, with its type and start. */
  appointment: { id: string; type: string; from_date: string; time_zone: string } | null;
  /** `null`: removed. */
  text: string | null;
  version: number;
  pinned: boolean;
  /** `null`: unknown, or an author without a name. */
  created_by_name: string | null;
  created_at: string;
  /** Of the last change of the text. */
  updated_by_name: string | null;
  updated_at: string;
};
export type NoteVersionView = {
  version: number;
  /** `null`: it was removed. */
  text: string | null;
  written_by_name: string | null;
  written_at: string;
};
/** The caller's own unfinished text. */
export type NoteDraftView = {
  target_type: 'patient' | 'appointment' | 'note';
  target_id: string;
  text: string;
  /** The version of the note that it changes. */
  version: number | null;
  updated_at: string;
};
/** The pinned notes are on the first page, before the others; so are the caller's drafts about the patient. */
export type NotesPage = Page<NoteView> & { drafts: NoteDraftView[] };
/** `more`: the search found more than it shows. */
export type FoundNotes = { items: NoteView[]; more: boolean };
