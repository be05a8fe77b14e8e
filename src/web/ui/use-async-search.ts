'use client';
import { useEffect, useState } from 'react';

const DEBOUNCE_MS = 150;

export type AsyncSearch<Result> = (text: string, signal: AbortSignal) => Promise<Result[]>;

type Answer<Result> = { text: string; results: Result[]; failed: boolean };

/** Searches after a pause in typing and drops outdated results. Texts shorter than `minLetters` return nothing. */
export function useAsyncSearch<Result>(text: string, search: AsyncSearch<Result>, minLetters: number) {
  const [answer, setAnswer] = useState<Answer<Result> | null>(null);
  const wanted = text.trim().length >= minLetters;
  useEffect(() => {
    if (!wanted) return;
    const abort = new AbortController();
    const settle = (results: Result[], failed: boolean) => abort.signal.aborted || setAnswer({ text, results, failed });
    const timer = setTimeout(() => {
      search(text.trim(), abort.signal).then(
        (results) => settle(results, false),
        () => settle([], true),
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, wanted, search]);
  return {
    results: wanted ? (answer?.results ?? []) : [],
    failed: wanted && answer?.failed === true,
    searching: wanted && answer?.text !== text,
  };
}
