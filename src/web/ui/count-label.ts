export type Counted = {
  count: number;
  /** Singular: `patient`. */
  noun: string;
  /** The total, if it was counted; `capped` when there are more. */
  total?: { count: number; capped: boolean } | undefined;
  hasMore: boolean;
};

export const formatCount = (count: number) => count.toLocaleString('en-US');
/** "1 day", "14 days", "2 entries". */
export const pluralize = (count: number, noun: string): string =>
  `${formatCount(count)} ${count === 1 ? noun : noun.replace(/([^aeiou])y$/, '$1ie').concat('s')}`;

/** "1 patient", "First 20 of 132 patients", "First 20 of more than 10,000 patients". */
export function countLabel({ count, noun, total, hasMore }: Counted): string {
  if (!hasMore) return pluralize(count, noun);
  if (!total) return `First ${pluralize(count, noun)}`;
  return `First ${formatCount(count)} of ${total.capped ? 'more than ' : ''}${pluralize(Math.max(total.count, count), noun)}`;
}
