import type { Catalogue } from './catalogue/catalogue.ts';

type CatalogueOfTenant = { catalogue?: Catalogue | undefined; loading?: Promise<Catalogue> | undefined };

/** What scheduling keeps as long as the services live. */
export function keepForScheduling() {
  /** By tenant. */
  const catalogues = new Map<string, CatalogueOfTenant>();
  /** Questions to Acuity under way, by tenant, type, calendar and day: nobody asks the same twice. */
  const questions = new Map<string, Promise<void>>();
  return {
    catalogues,
    questions,
    /** Waits for what is asked behind an answer that was given long ago. */
    async close(): Promise<void> {
      while (questions.size > 0) await Promise.allSettled(questions.values());
    },
  };
}

declare module '#server/core/context.ts' {
  interface Kept {
    scheduling: ReturnType<typeof keepForScheduling>;
  }
}
