/** What had to be so for the attack to have failed; the words say what is the case otherwise. */
export function hold(holds: boolean, whatHappened: string): asserts holds {
  if (!holds) throw new Error(whatHappened);
}

/** @returns the code of the error that the work ended with; null when it went through */
export const refusalOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: { code?: string; message?: string }) => error.code ?? error.message ?? String(error),
  );

/** In any order, by a generator that the seed repeats. */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** What is made when it is first wanted, and then kept. */
export function once<Made>(make: () => Made): () => Made {
  let made: { value: Made } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
