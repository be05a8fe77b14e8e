/** The service as it would be if reads left no audit entries, which no setting of it makes it: to see what they cost. */
import { readConfig } from '#server/core/config.ts';
import { createServices } from '#server/services.ts';
import { serveDoors } from '../../testing/http-server.ts';
import { serveAsks } from '../serve-asks.ts';

serveAsks(async (settings: Record<string, string>) => {
  const services = createServices(readConfig(settings));
  services.entries = { write: async () => undefined, close: async () => undefined };
  return (await serveDoors(services)).url;
});
