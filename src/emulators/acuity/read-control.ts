import { z } from 'zod';

/** What the schema reads from a control's input; a `TypeError` that names the fault otherwise. */
export function readControl<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (!result.success) throw new TypeError(z.prettifyError(result.error));
  return result.data;
}
