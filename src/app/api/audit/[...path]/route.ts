import { createAuditExportHandler } from '#server/http/export-handler.ts';
import { toFetchHandler } from '#server/http/handler.ts';
import { services } from '#server/http/services.ts';

const handler = (request: Request): Promise<Response> =>
  toFetchHandler(createAuditExportHandler(services()), services().config)(request);

export { handler as GET };
