import { createChartDoor } from '#server/http/chart.ts';
import { services } from '#server/http/services.ts';
import { asFetch } from '#server/http/wire.ts';

const door = (request: Request): Promise<Response> => asFetch(createChartDoor(services()), services().config)(request);

export { door as GET };
