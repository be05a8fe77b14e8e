import type { Appointment } from './api-types.ts';
import { callApi } from './call-api.ts';
import { withIdempotencyKey } from './idempotency.ts';

/** The practitioner, the id and the video link stay the same. */
export const rescheduleAppointment = (
  id: string,
  fromDate: string,
): Promise<Appointment> =>
  withIdempotencyKey(`move ${id} ${fromDate}`, (idempotencyKey) =>
    callApi('POST', `/appointments/${id}/reschedule`, {
      body: { from_date: fromDate },
      idempotencyKey,
    }),
  );
