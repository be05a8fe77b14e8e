import type { SearchEntry } from './search-entries.ts';

const MAX_RESULTS = 24;

/** The rank of text matches, after names: long texts contain nearly every word, so only a word's beginning counts. */
const TEXT_MATCH_RANK = 6;

/** The rank of an entry, lower is better; null when it lacks one of the words. */
function rank({ group, label, hint, words }: SearchEntry, terms: string[]): number | null {
  const [name, hintText, rest] = [label, hint, words].map((text) => text.toLowerCase()) as [string, string, string];
  const isText = group === 'Pages' || group === 'Sections';
  let sum = 0;
  for (const word of terms) {
    if (name === word) sum += 0;
    else if (name.startsWith(word)) sum += 1;
    else if (name.includes(word)) sum += 2;
    else if (hintText.includes(word)) sum += 3;
    else if (isText && ` ${rest}`.includes(` ${word}`)) sum += TEXT_MATCH_RANK;
    else if (isText) return null;
    else if (rest.split(' ').includes(word)) sum += 4;
    else if (rest.includes(word)) sum += 5;
    else return null;
  }
  return sum;
}

/** Returns the entries that contain all words, best first and grouped. */
export function findEntries(entries: SearchEntry[], text: string): SearchEntry[] {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = entries
    .map((entry) => ({ entry, score: rank(entry, terms) }))
    .filter((a): a is { entry: SearchEntry; score: number } => a.score !== null)
    .sort((a, b) => a.score - b.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
  const groups = [...new Set(ranked.map(({ group }) => group))];
  return groups.flatMap((group) => ranked.filter((entry) => entry.group === group));
}

/** Loads the search index. */
export async function loadEntries(): Promise<SearchEntry[]> {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error(`The search answered ${response.status}`);
  return response.json();
}
