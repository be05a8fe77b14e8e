import { z } from 'zod';

/** Parses `2022-06-28T14:00:00+0800`: Acuity's offset has no colon. */
export const ZonedTime = z
  .string()
  .transform((text) => new Date(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')))
  .refine((at) => !Number.isNaN(at.getTime()), 'must be a datetime');
