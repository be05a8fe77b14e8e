/** The fields that the emulator itself reads and writes; the passive rest of each object is filled in where it is made.
 *  Fields that start with `_` are the emulator's own and never leave it (see `wire/present.ts`). */
export interface StripeObject {
  id: string;
  object: string;
  created: number;
  [field: string]: unknown;
}

export type Metadata = Record<string, string>;
