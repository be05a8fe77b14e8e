import { createChartExportHandler } from '#server/http/chart.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> => toFetchHandler(createChartExportHandler(services()), services().config)(request);

export { handler as GET };
