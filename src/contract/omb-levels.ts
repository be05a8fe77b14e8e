import { z } from 'zod';
import { text } from './conventions.ts';

/** Races and ethnicities of the Office of Management and Budget (OMB). */
const Level = text(100).refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters');
export const Levels = z.strictObject({ level_2_display: Level, level_3_display: Level.nullish() });
export const LevelsView = z.object({ level_2_display: z.string(), level_3_display: z.string().nullable() });
/** A plain text is the second level. */
export const Race = z.union([Level.transform((level_2_display) => ({ level_2_display })), Levels]).meta({
  override: {
    anyOf: [
      { type: 'string', minLength: 1, maxLength: 100 },
      {
        type: 'object',
        properties: {
          level_2_display: { type: 'string', minLength: 1, maxLength: 100 },
          level_3_display: { type: ['string', 'null'], minLength: 1, maxLength: 100 },
        },
        required: ['level_2_display'],
        additionalProperties: false,
      },
    ],
  },
});
