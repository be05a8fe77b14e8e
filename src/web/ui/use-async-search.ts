'use client';
import { useEffect, useState } from 'react';

const DEBOUNCE_MS = 150;

export type AsyncSearch<Result> = (text: string, signal: AbortSignal) => Promise<Result[]>;

type SearchOutcome<Result> = { text: string; results: Result[]; failed: boolean };

/** Searches after a pause in typing and drops outdated results. Texts shorter than `minLetters` return nothing. */
export function useAsyncSearch<Result>(text: string, search: AsyncSearch<Result>, minLetters: number) {
  const [outcome, setOutcome] = useState<SearchOutcome<Result> | null>(null);
  const isActive = text.trim().length >= minLetters;
  useEffect(() => {
    if (!isActive) return;
    const abort = new AbortController();
    const settle = (results: Result[], failed: boolean) =>
      abort.signal.aborted || setOutcome({ text, results, failed });
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
  }, [text, isActive, search]);
  return {
    results: isActive ? (outcome?.results ?? []) : [],
    failed: isActive && outcome?.failed === true,
    searching: isActive && outcome?.text !== text,
  };
}
