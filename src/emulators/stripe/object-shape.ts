/**
 * The fields that the emulator reads and writes; each object's other fields are set at creation.
 * Fields that start with `_` are internal and not part of responses (see `wire/present.ts`).
 */
export interface StripeObject {
  id: string;
  object: string;
  created: number;
  [field: string]: unknown;
}

export type Metadata = Record<string, string>;
