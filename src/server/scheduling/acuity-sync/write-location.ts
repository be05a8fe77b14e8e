import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { type Acuity, type AcuityAppointment, AcuityError } from '#server/providers/acuity.ts';
import type { BookableType } from '../catalogue/catalogue.ts';
import { locationOf } from './what-acuity-says.ts';

/** An appointment made in Acuity's console gets its location there too. Acuity's refusal is tried again next time. */
export async function writeLocation(
  ctx: Context,
  acuity: Acuity,
  row: Appointment,
  remote: AcuityAppointment,
  types: BookableType[],
): Promise<Appointment> {
  const fieldId = types.find(({ id }) => id === row.appointmentTypeId)?.locationFieldId ?? null;
  if (row.status !== 'scheduled' || fieldId === null || row.location === null || locationOf(remote) !== null)
    return row;
  try {
    await acuity.answer(remote.id, [{ id: fieldId, value: row.location }]);
  } catch (error) {
    if (!(error instanceof AcuityError)) throw error;
    ctx.log.warn({ appointmentId: row.id, err: error.message }, 'the location could not be written at Acuity');
  }
  return row;
}
