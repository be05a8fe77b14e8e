import { createAppointmentsExportHandler } from '#server/http/appointments.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createAppointmentsExportHandler(services()), services().config)(request);

export { handler as GET };
