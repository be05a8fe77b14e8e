import { openApiDocument } from '#contract/openapi.ts';
import type { Config } from '../core/config.ts';

/** The HTTP handlers' objects that live as long as the services. */
export function createHttpState(config: Config) {
  let openApi: string | null = null;
  const cache = new Map<string, unknown>();
  return {
    /** The number of open change streams per staff user. */
    streams: new Map<string, number>(),
    /** Caches content that is the same for all callers: made under its name at the first use. */
    once<Made>(name: string, make: () => Made): Made {
      if (!cache.has(name)) cache.set(name, make());
      return cache.get(name) as Made;
    },
    /** Returns the OpenAPI document as JSON, made at the first use. */
    openApi(): string {
      openApi ??= JSON.stringify(
        openApiDocument({ baseUrl: config.baseUrl, tokenUrl: `${config.issuer}/oauth2/token` }),
      );
      return openApi;
    },
  };
}
