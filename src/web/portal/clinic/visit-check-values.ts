import { z } from 'zod';
import { VISIT_CHECKS } from '#contract/visits.ts';

export const VisitCheckValues = z.object({ check: z.enum(VISIT_CHECKS) });
