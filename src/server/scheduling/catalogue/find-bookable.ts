import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { findInCatalogue, type Offer } from './find-in-catalogue.ts';

/** A booking hangs on names in Acuity's settings, so it looks at them more closely than a list does. */
const MAX_AGE_MS = 15 * SECOND;
/** What an administrator has just put right works at once. */
const SECOND_LOOK_MS = 2 * SECOND;

/**
 * What is to be booked, with the id of the question that takes the location; 422 `integration_misconfigured` names the
 * type that lacks it.
 */
export async function findBookable(
  ctx: Context,
  wish: { appointment_type_id: number; calendar_id?: number | undefined },
): Promise<Offer & { fieldId: number }> {
  let offer = await findInCatalogue(ctx, wish, MAX_AGE_MS);
  if (offer.type.locationFieldId === null) offer = await findInCatalogue(ctx, wish, SECOND_LOOK_MS);
  const { id, name, locationFieldId: fieldId } = offer.type;
  if (fieldId !== null) return { ...offer, fieldId };
  throw refuse(
    'integration_misconfigured',
    `In Acuity, the appointment type "${name}" lacks the internal form named exactly "Location" with a question named exactly "Location". An administrator must attach it.`,
    { meta: { appointment_type_id: id } },
  );
}
