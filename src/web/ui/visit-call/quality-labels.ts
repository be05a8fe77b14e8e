import type { LineQuality } from '#contract/visit-call.ts';
import type { Tone } from '#web/ui/badge.tsx';

/** The label of each connection quality. */
export const QUALITY_LABELS: Record<LineQuality, [tone: Tone, words: string]> = {
  good: ['good', 'Good connection'],
  thin: ['warn', 'Weak connection'],
  broken: ['danger', 'Bad connection'],
};
