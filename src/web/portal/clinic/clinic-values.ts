import { z } from 'zod';
import { SetCancelReasonsInput } from '#contract/cancel-reasons.ts';
import { UpdateClinicInput } from '#contract/clinic.ts';
import { VISIT_CHECKS } from '#contract/visits.ts';

const { shape } = UpdateClinicInput;
/** Converts empty input to null. */
const orNothing = (schema: z.ZodType<string | null, string | null>) =>
  z
    .string()
    .trim()
    .transform((text) => text || null)
    .pipe(schema);
export const ClinicValues = z.object({
  name: z.string().trim().min(1, 'Enter the name of your clinic.').max(80, 'Use at most 80 characters.'),
  time_zone: z.string().min(1, 'Choose a time zone.').pipe(shape.time_zone),
  colour: orNothing(shape.colour),
  support_phone: orNothing(shape.support_phone),
  support_email: orNothing(shape.support_email),
  terms_url: orNothing(shape.terms_url),
  privacy_url: orNothing(shape.privacy_url),
});

/** One reason in each line. */
export const CancelReasonsValues = z.object({
  reasons: z
    .string()
    .transform((text) => text.split('\n'))
    .pipe(SetCancelReasonsInput.shape.reasons),
});

export const VisitCheckValues = z.object({ check: z.enum(VISIT_CHECKS) });
