/** The service without audit entries for reads, which no setting allows: it shows their cost. */
import { readConfig } from '#server/core/config.ts';
import { createServices } from '#server/services.ts';
import { serveDoors } from '../../testing/http-server.ts';
import { serveAsks } from '../serve-asks.ts';

serveAsks(async (settings: Record<string, string>) => {
  const services = createServices(readConfig(settings));
  services.entries = { write: async () => undefined, close: async () => undefined };
  return (await serveDoors(services)).url;
});
