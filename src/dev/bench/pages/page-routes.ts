import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../launcher/root.mjs';

const APP = path.join(root, 'src/app');
const STAFF = '(portal)';

/** `/patients/[id]`, and whether staff sign in to see it. */
export type PageRoute = { route: string; isStaffs: boolean };

/** Every page there is, as Next finds them: so that a new one is not forgotten. */
export function pageRoutes(): PageRoute[] {
  const files = readdirSync(APP, { recursive: true, encoding: 'utf8' }).filter(
    (file) => path.basename(file) === 'page.tsx',
  );
  return files
    .map((file) => path.dirname(file).split(path.sep))
    .map((folders) => ({
      route: `/${folders.filter((folder) => folder !== '.' && !/^\(.*\)$/.test(folder)).join('/')}`,
      isStaffs: folders.includes(STAFF),
    }))
    .sort((a, b) => (a.route < b.route ? -1 : 1));
}
