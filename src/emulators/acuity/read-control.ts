import { z } from 'zod';

/**
 * Validates a control's input.
 * @throws TypeError naming the invalid fields
 */
export function readControl<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (!result.success) throw new TypeError(z.prettifyError(result.error));
  return result.data;
}
