import { refuse } from '#server/core/errors.ts';
import type { BookableType } from './catalogue.ts';

/** The id of the question that takes the location, or 422 `integration_misconfigured` naming the type that lacks it. */
export function requireLocation(type: BookableType): number {
  if (type.locationFieldId !== null) return type.locationFieldId;
  throw refuse(
    'integration_misconfigured',
    `In Acuity, the appointment type "${type.name}" lacks the internal form named exactly "Location" with a question named exactly "Location". An administrator must attach it.`,
    { meta: { appointment_type_id: type.id } },
  );
}
