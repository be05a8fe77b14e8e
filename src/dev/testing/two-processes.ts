import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { type RestClient, restClient } from './rest-client.ts';
import { startHttpProcess } from './start-http-process.ts';

export type TwoProcesses = {
  clinic: Sandbox;
  /** Clients of this process and of another one on the same database. */
  clients: RestClient[];
  /** The token of an application with all scopes. */
  token: string;
  /** Gets another token, for tests that outlast one. */
  newToken: () => Promise<string>;
  /** The last appointment type. */
  typeId: number;
  stop: () => Promise<void>;
};

/** Starts a clinic with Acuity served by two processes, for race tests, without a limit on Acuity calls. */
export async function startTwoProcesses(): Promise<TwoProcesses> {
  const clinic = await withClinic({ ...SANDBOX, env: { DATABASE_CONNECTIONS: '22' } });
  const second = await startHttpProcess({ ...clinic.settings, LOG_LEVEL: 'error' });
  const other = restClient(`${second.url}/api/v1`);
  const application = await clinic.application(clinic.ctx);
  const newToken = () => clinic.token(application);
  const token = await newToken();
  const types = await clinic.rest.call({ method: 'GET', path: '/appointment_types', token });
  return {
    clinic,
    clients: [clinic.rest, other],
    token,
    newToken,
    typeId: types.body.at(-1).id,
    async stop() {
      other.close();
      await second.stop();
      await clinic.stop();
    },
  };
}
