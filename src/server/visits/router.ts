import { z } from 'zod';
import { patientData, router } from '#server/core/trpc.ts';
import { openVisit } from './open-visit.ts';

const OpenVisitInput = z.strictObject({ token: z.string().min(1).max(200) });

export const visitsRouter = router({
  open: patientData('Appointment')
    .input(OpenVisitInput)
    .query(({ ctx, input }) => openVisit(ctx, input)),
});
