import type { LineQuality } from '#contract/visit-call.ts';
import type { Tone } from '#web/ui/badge.tsx';

/** How good a line is, in a few words. */
export const QUALITY: Record<LineQuality, [tone: Tone, words: string]> = {
  good: ['good', 'Good connection'],
  thin: ['warn', 'Weak connection'],
  broken: ['danger', 'Bad connection'],
};
