import { openApiDocument } from '#contract/openapi.ts';
import type { Config } from '../core/config.ts';

/** What the doors keep as long as the services live. */
export function createHttpState(config: Config) {
  let openApi: string | null = null;
  const made = new Map<string, unknown>();
  return {
    /** How many streams of changes each of the portal's people has open. */
    streams: new Map<string, number>(),
    /** What pages say alike to everybody: made under its name at the first reading, and then kept. */
    once<Made>(name: string, make: () => Made): Made {
      if (!made.has(name)) made.set(name, make());
      return made.get(name) as Made;
    },
    /** The description of the API as JSON, made at the first reading. */
    openApi(): string {
      openApi ??= JSON.stringify(
        openApiDocument({ baseUrl: config.baseUrl, tokenUrl: `${config.issuer}/oauth2/token` }),
      );
      return openApi;
    },
  };
}
