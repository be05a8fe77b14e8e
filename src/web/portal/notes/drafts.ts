import type { QueryClient } from '@tanstack/react-query';
import type { NoteDraftView } from '#contract/notes.ts';

export type DraftTarget = Pick<NoteDraftView, 'target_type' | 'target_id'>;

/** The key of texts that the server does not have yet. They are only in memory, which a page loses with sign-out, and when another user signs in. */
export const MEMORY = ['note-draft'];
export const memoryKey = ({ target_type, target_id }: DraftTarget) => [...MEMORY, target_type, target_id];

/** Whether a text that could not be stored waits in memory. */
export const hasUnstored = (queries: QueryClient, target: DraftTarget): boolean =>
  queries.getQueryData(memoryKey(target)) !== undefined;

export const isDraftOf =
  ({ target_type, target_id }: DraftTarget) =>
  (draft: NoteDraftView): boolean =>
    draft.target_type === target_type && draft.target_id === target_id;

export const draftOf = (drafts: NoteDraftView[], target: DraftTarget) => drafts.find(isDraftOf(target));
