import { z } from 'zod';
import { AppAddress, WebOrigin } from '#contract/origins.ts';

const Page = z
  .string()
  .trim()
  .transform((text) => text || null)
  .pipe(AppAddress.nullable());
export const AppAddressesValues = z.object({ invitation: Page, reset: Page, confirmation: Page });

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
