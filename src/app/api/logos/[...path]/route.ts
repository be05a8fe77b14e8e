import { createLogoDoor } from '#server/http/logos.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> => asFetch(createLogoDoor(services()), services().config)(request);

export { door as GET, door as HEAD };
