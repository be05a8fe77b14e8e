import type { Appointment } from './api-types.ts';
import { callApi } from './call-api.ts';
import { withIdempotencyKey } from './idempotency.ts';

/** The slot is available to others immediately. */
export const cancelAppointment = (id: string): Promise<Appointment> =>
  withIdempotencyKey(`cancel ${id}`, (idempotencyKey) =>
    callApi('POST', `/appointments/${id}/cancel`, { idempotencyKey }),
  );
