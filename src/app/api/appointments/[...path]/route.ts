import { createAppointmentsDoor } from '#server/http/appointments.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> =>
  asFetch(createAppointmentsDoor(services()), services().config)(request);

export { door as GET };
