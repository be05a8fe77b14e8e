import { z } from 'zod';
import { WebOrigin } from '#contract/origins.ts';

/** Form schema of an origin to add to the listed ones. */
export const originValues = (listed: string[]) =>
  z.object({
    // A URL copied from the address bar ends in a slash.
    origin: z
      .string()
      .trim()
      .min(1, 'Write the address of the website')
      .transform((text) => text.replace(/\/$/, ''))
      .pipe(WebOrigin)
      .refine((origin) => !listed.includes(origin), 'It is listed already'),
  });
