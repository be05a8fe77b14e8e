'use client';
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { NoteDraftView, NotesPage } from '#contract/notes.ts';
import { SIGNED_IN_AGAIN, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { draftOfText } from './clean-text.ts';
import { createDraftSaver, type DraftState } from './draft-saver.ts';
import { type DraftTarget, isDraftOf, MEMORY, memoryKey } from './drafts.ts';

/** A text that the server does not have yet. */
type Unstored = { text: string; version: number | null };

/** A call without a response counts as failed, because links wait for it. */
const MAX_WAIT_MS = 10_000;

/** Replaces the draft in the lists that are loaded, so that they need not be loaded again. */
function useSetDraft(patientId: string, target: DraftTarget) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return (draft: NoteDraftView | null): void => {
    const filter = { queryKey: trpc.notes.show.queryKey({ patient_id: patientId }) };
    const change = (page: NotesPage) => ({
      ...page,
      drafts: [...page.drafts.filter((other) => !isDraftOf(target)(other)), ...(draft ? [draft] : [])],
    });
    for (const { queryKey, state } of queries.getQueryCache().findAll(filter))
      queries.setQueryData<InfiniteData<NotesPage>>(
        queryKey,
        (data) => data && { ...data, pages: data.pages.map((page, index) => (index === 0 ? change(page) : page)) },
        { updatedAt: state.dataUpdatedAt },
      );
    // A response that is under way may be older than the draft.
    if (queries.isFetching(filter) > 0) void queries.invalidateQueries(filter);
  };
}

type DraftOptions = {
  patientId: string;
  target: DraftTarget;
  /** The text without a draft, and the version that it is. */
  base: Unstored;
  stored: NoteDraftView | undefined;
};

/** The text of a form, which is stored as the user's draft while they type. */
export function useNoteDraft({ patientId, target, base, stored }: DraftOptions) {
  const client = useTRPCClient();
  const queries = useQueryClient();
  const setStored = useSetDraft(patientId, target);
  const key = memoryKey(target);
  const [opened] = useState(() => {
    const unstored = queries.getQueryData<Unstored>(key);
    return { base, unstored, ...(unstored ?? stored ?? base), since: unstored ? null : (stored?.updated_at ?? null) };
  });
  const { version } = opened;
  const [text, setText] = useState(opened.text);
  const [state, setState] = useState<DraftState>('none');
  const [error, setError] = useState<unknown>(null);

  const remember = (unstored: Unstored) => {
    queries.setQueryDefaults(MEMORY, { gcTime: Number.POSITIVE_INFINITY });
    queries.setQueryData(key, unstored);
  };
  const forget = () => queries.removeQueries({ queryKey: key, exact: true });

  const send = (latest: string) =>
    client.notes.saveDraft.mutate(
      { ...target, text: latest, ...(version !== null && { version }) },
      { signal: AbortSignal.timeout(MAX_WAIT_MS) },
    );
  const [saver] = useState(() =>
    createDraftSaver(stored?.text ?? base.text, {
      async store(latest) {
        // A text that changes nothing is no draft.
        const draft = latest === opened.base.text ? '' : draftOfText(latest);
        await send(draft);
        const isEmpty = draft.trim() === '';
        setStored(isEmpty ? null : { ...target, text: draft, version, updated_at: new Date().toISOString() });
      },
      onState(next, cause = null) {
        if (next === 'stored') forget();
        setState(next);
        setError(cause);
      },
    }),
  );

  useEffect(() => {
    if (opened.unstored) saver.change(opened.unstored.text);
    const flush = () => void saver.flush();
    const onHide = () => document.visibilityState === 'hidden' && flush();
    flush();
    window.addEventListener('online', flush);
    window.addEventListener(SIGNED_IN_AGAIN, flush);
    document.addEventListener('visibilitychange', onHide);
    return () => {
      window.removeEventListener('online', flush);
      window.removeEventListener(SIGNED_IN_AGAIN, flush);
      document.removeEventListener('visibilitychange', onHide);
      flush();
    };
  }, [saver, opened]);

  const clear = (): void => {
    forget();
    setStored(null);
    setState('none');
  };

  return {
    text,
    /** The version of the note that the text changes. */
    version,
    /** When the draft was stored that the form has opened with. */
    since: opened.since,
    state,
    error,
    isUnstored: state === 'waiting' || state === 'failed',
    change(next: string): void {
      setText(next);
      remember({ text: next, version });
      saver.change(next);
    },
    /** Stores the text now. */
    flush: saver.flush,
    /** No draft is stored until `release`: for the time in which the note itself is. */
    hold: saver.hold,
    release: saver.release,
    /** Forgets the draft, which the server has deleted with the note that was saved. */
    clear,
    /** Deletes the draft. */
    async discard(): Promise<void> {
      await saver.hold();
      if (saver.stored() !== opened.base.text) await send('');
      clear();
    },
  };
}

export type NoteDraft = ReturnType<typeof useNoteDraft>;
