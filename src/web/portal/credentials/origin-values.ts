import { z } from 'zod';
import { WebOrigin } from '#contract/origins.ts';

/** An origin to add to those that are listed. */
export const originValues = (listed: string[]) =>
  z.object({
    // What is copied from an address bar ends in a slash.
    origin: z
      .string()
      .trim()
      .min(1, 'Write the address of the website')
      .transform((text) => text.replace(/\/$/, ''))
      .pipe(WebOrigin)
      .refine((origin) => !listed.includes(origin), 'It is listed already'),
  });
