import type { Appointment } from './api-types.ts';
import { callApi } from './call-api.ts';
import { withIdempotencyKey } from './idempotency.ts';

/**
 * `fromDate` is the exact time of an offered slot. When another appointment took it
 * first, the error is `slot_taken`, with other slots in its `meta`.
 */
export const bookAppointment = (
  patientId: string,
  typeId: number,
  fromDate: string,
): Promise<Appointment> =>
  withIdempotencyKey(`book ${typeId} ${fromDate}`, (idempotencyKey) =>
    callApi('POST', '/appointments', {
      body: {
        patient_id: patientId,
        appointment_type_id: typeId,
        from_date: fromDate,
      },
      idempotencyKey,
    }),
  );
