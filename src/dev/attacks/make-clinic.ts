import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Card } from '../../../e2e/card.ts';
import { createSettings } from '../../launcher/settings.mjs';
import type { MakeClinic } from './target.ts';

/** Creates clinics with the project's own script on the served copy whose folder is given. */
export function makeClinicOn(folder: string, card: Card): MakeClinic {
  const read = (name: string) => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  const [secrets, ports] = [read('secrets.json'), read('ports.json')];
  const { port } = new URL(card.portal_url);
  const { service } = createSettings({
    env: {},
    options: { port, host: '127.0.0.1', emulators: true },
    ports,
    secrets,
  });
  const DATABASE_URL = `postgresql://carelane:${secrets.servicePassword}@127.0.0.1:${ports.postgres}/carelane`;
  return async (name, email) => {
    const args = ['--import', 'tsx', 'src/admin/create-tenant.ts', '--name', name, '--email', email];
    const env = { PATH: process.env.PATH, ...service, DATABASE_URL } as NodeJS.ProcessEnv;
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return /^Password: (\S+)$/m.exec(stdout)![1]!;
  };
}
