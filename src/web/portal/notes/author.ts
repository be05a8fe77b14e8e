import type { NoteView } from '#contract/notes.ts';

export const UNKNOWN_AUTHOR = 'Unknown author';

export const authorOf = ({ created_by_name }: Pick<NoteView, 'created_by_name'>): string =>
  created_by_name ?? UNKNOWN_AUTHOR;
