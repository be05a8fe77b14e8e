/** The service without audit entries for reads, which no setting allows: it shows their cost. */
import { readConfig } from '#server/core/config.ts';
import { createServices } from '#server/services.ts';
import { serveHandlers } from '../../testing/http-server.ts';
import { serveMessages } from '../start-process.ts';

serveMessages(async (settings: Record<string, string>) => {
  const services = createServices(readConfig(settings));
  services.auditWriter = { write: async () => undefined, close: async () => undefined };
  return (await serveHandlers(services)).url;
});
