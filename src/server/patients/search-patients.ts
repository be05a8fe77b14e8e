import { isStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, query } from '#server/core/db.ts';
import { readSearch, type Search } from './search-text.ts';

const { sql, join } = Prisma;

/** More common words are looked for while the list is read in its order, where matches are close to each other. */
const MAX_FOUND = 2000;

export type FoundPatients = {
  /** Conditions for the tenant's patients (`p`) of these statuses. */
  conditions: Prisma.Sql[];
  /** Nothing matches exactly; the conditions are those of words that are spelled nearly the same. */
  isSimilar: boolean;
  /** Counts common words by the index; null: by the conditions. */
  count: ((most?: number) => Promise<number>) | null;
};

/**
 * Searches the tenant's patients of some statuses. Only staff, who look at the names, get words that are spelled nearly the
 * same: an application might take the first hit for the one that it meant.
 */
export async function searchPatients(
  ctx: Context,
  { search, statuses, today }: { search: string; statuses: readonly string[]; today: string },
): Promise<FoundPatients> {
  const { words, birthDates } = readSearch(search, today);
  const patterns = words.map((spellings) => spellings.flatMap(patternsOf));
  const likes = patterns.map(
    (spellings) =>
      sql`(${join(
        spellings.map((pattern) => sql`p.search_text like ${pattern}`),
        ' or ',
      )})`,
  );
  const exact = { isSimilar: false, count: null };
  const matching = (every: string[][], most: number | null) =>
    sql`carelane_find_patients(${JSON.stringify(every)}::jsonb, ${statuses}::text[], ${most}::int)`;
  const born = await Promise.all(
    birthDates.map(async ({ text, days }) => {
      // It may also be a part of an external id or a tag.
      const ids = await findIds(ctx, matching([[containing(text)]], MAX_FOUND));
      return sql`(p.birth_date = any(${days}::date[]) or ${among(ids)})`;
    }),
  );
  if (words.length === 0 || born.length > 0) return { ...exact, conditions: [...born, ...likes] };
  const found = await findIds(ctx, matching(patterns, MAX_FOUND + 1));
  if (found.length > MAX_FOUND)
    return { ...exact, conditions: likes, count: (most) => countRows(ctx, matching(patterns, most ?? null)) };
  if (found.length > 0 || !isStaff(ctx.actor)) return { ...exact, conditions: [among(found)] };
  const similar = await findSimilar(ctx, words, statuses);
  return { ...exact, conditions: [among(similar)], isSimilar: similar.length > 0 };
}

async function countRows({ db }: Context, call: Prisma.Sql): Promise<number> {
  const [row] = await query<{ count: number }>(db, sql`select count(*)::int as count from ${call}`);
  return row!.count;
}

const among = (ids: string[]) => sql`p.id = any(${ids}::uuid[])`;

const findIds = async ({ db }: Context, call: Prisma.Sql): Promise<string[]> =>
  (await query<{ id: string }>(db, sql`select id from ${call} as found (id)`)).map(({ id }) => id);

/** Escapes `%`, `_` and `\` for LIKE. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
/** The LIKE pattern of any text with this part. */
export const containing = (text: string): string => `%${escaped(text)}%`;
const beginning = (word: string): string[] => [`${escaped(word)}%`, `% ${escaped(word)}%`];
/** The index knows parts of three letters; a shorter word of an alphabet is the beginning of one. */
const SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]{1,2}$/u;
const patternsOf = (word: string): string[] => (SHORT.test(word) ? beginning(word) : [containing(word)]);

const NEAR = /^\p{L}{3,40}$/u;
/** Words of at least this length may have one letter too much, too few or another; longer ones two. */
const ONE_LETTER = 4;
const TWO_LETTERS = 7;
/** The part of trigrams that words share at least, so that two letters of a long word may differ. */
const MAX_LIKENESS = 0.42;

/** Finds names with two neighboring letters exchanged, and longer ones with other letters. */
async function findSimilar(ctx: Context, words: Search['words'], statuses: readonly string[]): Promise<string[]> {
  const similar = words.map((spellings) => {
    const [word = ''] = spellings;
    const exact = spellings.flatMap(patternsOf);
    if (!NEAR.test(word)) return { exact, swapped: [], length: 0 };
    const letters = [...word];
    const swapped = letters
      .slice(1)
      .map((letter, n) => containing([...letters.slice(0, n), letter, letters[n], ...letters.slice(n + 2)].join('')));
    const { length } = letters;
    return { exact, swapped, length, ...(length >= ONE_LETTER && { word, distance: length >= TWO_LETTERS ? 2 : 1 }) };
  });
  // Two words of n letters have n + 4 trigrams in all and share n - 2 if one letter in the middle differs.
  const shared = similar.flatMap(({ length }) => (length >= ONE_LETTER ? [(length - 2) / (length + 4) - 0.01] : []));
  const likeness = Math.max(0.24, Math.min(MAX_LIKENESS, ...shared));
  return findIds(
    ctx,
    sql`carelane_find_similar_patients(${JSON.stringify(similar)}::jsonb, ${likeness}::real, ${statuses}::text[], ${MAX_FOUND}::int)`,
  );
}
