import { z } from 'zod';
import { AppAddress } from '#contract/origins.ts';

const Page = z
  .string()
  .trim()
  .transform((text) => text || null)
  .pipe(AppAddress.nullable());
export const AppAddressesValues = z.object({ invitation: Page, reset: Page, confirmation: Page });
