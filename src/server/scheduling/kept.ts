import type { Catalogue, Loading } from './catalogue/catalogue.ts';

type CatalogueOfTenant = { catalogue?: Catalogue | undefined; loading?: Loading | undefined };

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
