import type { CatalogueOfTenant } from './catalogue/catalogue.ts';

/** What scheduling keeps as long as the services live. */
export function keepForScheduling() {
  /** By tenant. */
  const catalogues = new Map<string, CatalogueOfTenant>();
  return { catalogues };
}

declare module '#server/core/context.ts' {
  interface Kept {
    scheduling: ReturnType<typeof keepForScheduling>;
  }
}
