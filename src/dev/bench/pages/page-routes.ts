import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../launcher/root.mjs';

const APP = path.join(root, 'src/app');
const STAFF = '(portal)';

/** A route such as `/patients/[id]`; `isStaffs` if it needs a staff session. */
export type PageRoute = { route: string; isStaffs: boolean };

/** Lists every page of the app folder as Next does, so that new pages are included. */
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
