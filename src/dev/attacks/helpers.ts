/** Asserts that an attack failed; `whatHappened` describes its success. */
export function assertHolds(holds: boolean, whatHappened: string): asserts holds {
  if (!holds) throw new Error(whatHappened);
}

/** @returns the code of the error that the work failed with; null when it succeeded */
export const errorCodeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: { code?: string; message?: string }) => error.code ?? error.message ?? String(error),
  );

/** Shuffles the items with a seeded generator. */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** Creates a value on first use and caches it. */
export function once<Value>(make: () => Value): () => Value {
  let cached: { value: Value } | null = null;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}
