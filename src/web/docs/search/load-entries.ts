import type { SearchEntry } from './search-entries.ts';

/** Loads the search index. */
export async function loadEntries(): Promise<SearchEntry[]> {
  const answer = await fetch('/docs/search.json');
  if (!answer.ok) throw new Error(`The search answered ${answer.status}`);
  return answer.json();
}
