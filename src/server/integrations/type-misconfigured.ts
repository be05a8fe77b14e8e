import type { Context } from '#server/core/context.ts';
import { apiError, type CarelaneError } from '#server/core/errors.ts';
import type { ProviderAppointmentType, SchedulingError } from '#server/providers/scheduling-provider.ts';
import { queueAcuityCheck } from './check-acuity.ts';

/**
 * Returns the 422 `integration_misconfigured` for a type that cannot be booked with the provider's settings, and queues
 * a check, so that Integrations shows what to do.
 * @param error how the provider rejected the booking; null when the type has no location field
 */
export async function typeMisconfigured(
  ctx: Context,
  { id, name }: ProviderAppointmentType,
  error: SchedulingError | null,
): Promise<CarelaneError> {
  await queueAcuityCheck(ctx);
  const meta = { appointment_type_id: id };
  if (!error)
    return apiError(
      'integration_misconfigured',
      `In Acuity, the appointment type "${name}" lacks the internal form named exactly "Location" with a question named exactly "Location". An administrator must attach it.`,
      { meta },
    );
  return apiError(
    'integration_misconfigured',
    `Acuity refuses the intake forms of "${name}" (${error.providerCode}): its "Location" form must be attached and internal, and no form shown to clients may have a required question. An administrator must put this right in Acuity.`,
    {
      people: `Acuity does not take bookings of “${name}” as it is set up. An administrator finds what to do under Integrations.`,
      meta,
    },
  );
}
