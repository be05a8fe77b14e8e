import { createAuditExportHandler } from '#server/http/audit.ts';
import { services } from '#server/http/services.ts';
import { toFetchHandler } from '#server/http/wire.ts';

const handler = (request: Request): Promise<Response> => toFetchHandler(createAuditExportHandler(services()), services().config)(request);

export { handler as GET };
