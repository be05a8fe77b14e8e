import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
/** The provider's name, and words that only its API has. */
const WORD =
  /[Aa]cuity|ACUITY|calendarID|appointmentTypeID|noEmail|cancelNote|no_available_|not_available_m|reschedule_[a-z]/;

/**
 * Where the product may name the scheduling provider. Everywhere else it uses SCHEDULING_PROVIDER or a neutral word.
 */
const ALLOWED = [
  // Its id, its name and its own settings.
  'src/contract/scheduling-provider.ts',
  'src/contract/integrations.ts',
  'src/contract/repairable-findings.ts',
  'src/contract/procedure-errors.ts',
  'src/contract/routes/integrations.ts',
  'src/web/portal/integrations/',
  'src/server/integrations/',
  'src/server/core/config.ts',
  // Its API, and the comparison with it.
  'src/server/providers/',
  'src/server/reconcile/',
  // Its webhook, from the request to the job.
  'src/server/http/webhook-handler.ts',
  'src/server/scheduling/sync/acuity-webhook.ts',
  'src/server/core/jobs.ts',
  'src/server/system/router.ts',
  'src/jobs/registry.ts',
  // Registration of its parts, and the display name of its actions.
  'src/server/router.ts',
  'src/server/scheduling/router.ts',
  'src/server/scheduling/index.ts',
  'src/server/chart/list-timeline.ts',
];

const isIn = (file: string, place: string) => (place.endsWith('/') ? file.startsWith(place) : file === place);

const named = ['src/server', 'src/jobs', 'src/web', 'src/contract']
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')),
  )
  .flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (WORD.test(line) ? [{ file, line: index + 1 }] : [])),
  );

describe('the scheduling provider', () => {
  it('is named in the allowed places only', () => {
    const elsewhere = named.filter(({ file }) => !ALLOWED.some((place) => isIn(file, place)));
    expect(elsewhere.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  });

  it('is named in each of them', () => {
    expect(ALLOWED.filter((place) => !named.some(({ file }) => isIn(file, place)))).toEqual([]);
  });
});
