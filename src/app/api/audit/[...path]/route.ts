import { createAuditDoor } from '#server/http/audit.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> => asFetch(createAuditDoor(services()), services().config)(request);

export { door as GET };
