import { isBuiltin } from 'node:module';
import { COMPUTED, type Import } from './imports.ts';
import { mayEnter, PATIENT_TIERS, PORTAL_TIERS, ROOMS, roomOf } from './rooms.ts';

/** Business domains from lowest to highest: a domain may import those below it, none in its own tier. */
const DOMAIN_TIERS = [
  ['clinic'],
  ['integrations', 'messages'],
  ['plans', 'patients', 'events', 'audit', 'mirror'],
  ['customers', 'consent'],
  ['subscriptions', 'scheduling', 'webhooks'],
  ['identity', 'care', 'reconcile', 'appointment-messages', 'visits'],
  ['team', 'system', 'chart', 'tasks', 'notes'],
];
const domain = (name: string) => `server/${name}`;
const DOMAINS = DOMAIN_TIERS.flat().map(domain);
const ANYTHING = '*';
/** Everything except for developer tools. */
const SHIPPED = 'shipped';

const domainRows = DOMAIN_TIERS.flatMap((names, tier) =>
  names.map((name): [string, string[]] => [
    domain(name),
    ['contract', 'generated', 'server/core', 'server/providers', ...DOMAIN_TIERS.slice(0, tier).flat().map(domain)],
  ]),
);

const lowerThan = Object.fromEntries(domainRows);
lowerThan['server/identity']?.push('sdk/protocol');

/**
 * A module is a zone that may import what its domain may, and the modules below it. A domain also has its router and
 * its process-lifetime state.
 */
const roomRows = Object.entries(ROOMS).flatMap(([domain, rooms]): [string, string[]][] => [
  [`${domain}/router.ts`, ['contract', 'server/core', ...Object.keys(rooms).map((name) => `${domain}/${name}`)]],
  [`${domain}/index.ts`, Object.keys(rooms).map((name) => `${domain}/${name}`)],
  [`${domain}/services.ts`, ['server/core', ...Object.keys(rooms).map((name) => `${domain}/${name}`)]],
  ...Object.entries(rooms).map(([name, { below }]): [string, string[]] => [
    `${domain}/${name}`,
    [...(lowerThan[domain] ?? []), ...below.map((other) => `${domain}/${other}`)],
  ]),
]);
const wholeDomains = domainRows.filter(([domain]) => !(domain in ROOMS));

/** Rows for the folders of one audience: each may import `ground` and the folders of lower tiers. */
const audienceRows = (audience: string, tiers: string[][], ground: string[]) =>
  tiers.flatMap((names, tier) =>
    names.map((name): [string, string[]] => [
      `${audience}/${name}`,
      [
        ...ground,
        ...tiers
          .slice(0, tier)
          .flat()
          .map((lower) => `${audience}/${lower}`),
      ],
    ]),
  );

/** Portal files that all its folders may import. */
const PORTAL_FILES = ['me.tsx', 'now.tsx', 'permitted.ts', 'use-download.ts', 'use-pages.ts', 'use-query-param.ts'].map(
  (name) => `web/portal/${name}`,
);
const UI = ['contract', 'web/ui', 'web/ui/visit-call'];
const portalRows = audienceRows('web/portal', PORTAL_TIERS, ['sdk', ...UI, 'web/trpc-client.tsx', ...PORTAL_FILES]);
const patientRows = audienceRows('web/patient', PATIENT_TIERS, ['sdk/index.ts', ...UI, 'web/ui/links']);

/**
 * The allowed imports of each zone. A zone is a folder or file under src, or a root folder; anything that is not listed
 * is rejected.
 */
const TABLE: Record<string, string[]> = {
  contract: [],
  docs: [],
  sdk: [],
  // The client for other servers and apps: it knows only the public API, through generated types.
  client: [],
  'client/generator': ['contract'],
  // The build scripts share code.
  'sdk/build.mjs': ['launcher/package'],
  'client/build.mjs': ['launcher'],
  // A program for other machines: it knows only the public API.
  cli: [],
  emulators: [],
  'server/core': ['contract', 'generated'],
  'server/core/context.ts': ['contract', 'generated', 'server/core'],
  'server/providers': ['contract', 'server/core'],
  ...Object.fromEntries([...roomRows, ...wholeDomains]),
  'server/router.ts': ['server/core', ...DOMAINS.map((name) => `${name}/router.ts`)],
  // Creates all process-lifetime state.
  'server/services.ts': [
    'server/core',
    'server/providers/services.ts',
    'server/http/state.ts',
    ...DOMAINS.map((name) => `${name}/services.ts`),
  ],
  'server/http': [
    'contract',
    'server/core',
    'server/router.ts',
    'server/services.ts',
    ...['audit', 'chart', 'identity', 'messages', 'scheduling', 'subscriptions', 'visits'].map(domain),
    'server/providers/stripe-script.ts',
  ],
  app: ['web', 'web/ui/links', 'web/ui/visit-call', 'examples/playground', 'server/http', 'contract'],
  'proxy.ts': ['server/http'],
  // An example of what any app can do: SDK, REST API and UI components, nothing that only the portal has.
  'examples/playground': ['sdk/index.ts', 'web/ui'],
  // UI components and browser helpers, form error messages, the format of amounts, and the terms of a subscription.
  'web/ui': ['contract/issue-message.ts', 'contract/minor-units.ts', 'contract/subscription-status.ts'],
  // Shared by pages behind a link, for patients and for staff users without a session: the token, requests and the
  // clinic's brand.
  'web/ui/links': ['web/ui', 'contract/brand-shades.ts'],
  // Both sides of a video visit show its room, so it is in ui: components and browser APIs. Each side passes its own
  // seat.
  'web/ui/visit-call': ['web/ui'],
  // Staff and patient pages may import the UI components, not each other.
  ...Object.fromEntries([...portalRows, ...patientRows]),
  ...Object.fromEntries(
    PORTAL_FILES.map((file) => [file, ['contract', 'web/ui', 'web/trpc-client.tsx', 'web/portal/permitted.ts']]),
  ),
  'web/docs': ['contract', 'web/ui'],
  'web/trpc-client.tsx': ['contract', 'web/ui/reach-server.ts'],
  jobs: ['server/core', 'server/providers', ...DOMAINS],
  'main.ts': ['server/http', 'server/services.ts', 'jobs', 'server/core'],
  // Examples for integrators: they know only the public API.
  examples: [],
  generated: [],
  // `npm start`, and the operator's commands.
  launcher: [SHIPPED],
  admin: [SHIPPED],
  prisma: [SHIPPED],
  // Developer tools: only tests import them, and only the test support.
  dev: [ANYTHING],
  e2e: [ANYTHING],
};

/** Zones of which only types may be imported, which are erased at runtime. */
const TYPES: Record<string, string[]> = {
  // `Services` is declared where all of them are built; `core/context.ts` hands its type to the domains.
  'server/core/context.ts': ['server/services.ts'],
  'server/services.ts': ['contract/message-templates.ts', 'server/scheduling/index.ts'],
  'examples/playground': ['contract'],
  'web/ui': ['contract/scopes.ts', 'contract/checkout-links.ts'],
  'web/ui/links': ['contract/clinic.ts'],
  'web/ui/visit-call': ['contract'],
};
/** A row allows these only by their own name, not through a parent folder. */
const NAMED_ALONE = ['web/ui/links', 'web/ui/visit-call', 'examples/playground'];
/** Zones that may import the type `AppRouter`. */
const USES_ROUTER_TYPE = ['web/portal', 'web/trpc-client.tsx'];
/** Zones that also run in a browser. */
const BROWSER = ['contract', 'web', 'examples/playground'];
// The product must not import the emulators; its tests start them and inspect the requests that they received.
const FOR_TESTS = ['dev/testing', 'emulators'];
const ROOTS = ['e2e', 'prisma'];
const isTest = (file: string) => /\.test\.tsx?$/.test(file);
const isWithin = (place: string, zone: string) => place === zone || place.startsWith(`${zone}/`);

/** Returns true when a row that names the zone allows the place. */
const covers = (zone: string, place: string) =>
  isWithin(place, zone) && NAMED_ALONE.every((part) => !isWithin(place, part) || isWithin(zone, part));

/** Converts a path from the project root to the table's form. */
const placeOf = (file: string) => file.replace(/^src\//, '');

/** @returns the file's zone, or null when its folder is not in the table */
export function zoneOf(file: string): string | null {
  if (!file.startsWith('src/') && !ROOTS.some((root) => isWithin(file, root))) return null;
  // A test belongs to the zone of the file that it tests.
  const place = placeOf(file).replace(/\.test(?=\.tsx?$)/, '');
  const zones = Object.keys(TABLE).filter((zone) => isWithin(place, zone));
  // The most specific zone.
  return zones.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** @returns the reason why the file may not have this import, or null */
export function importError(file: string, { specifier, target, names, typeOnly }: Import): string | null {
  const zone = zoneOf(file);
  if (zone === null) return `${file} belongs to no zone`;
  const own = roomOf(placeOf(file));
  // A test may import its domain's private files, and the test support.
  const forTests = isTest(file) ? [...FOR_TESTS, ...(own ? [own.domain] : [])] : [];
  const allowed = [...(TABLE[zone] ?? []), ...forTests];
  if (allowed.includes(ANYTHING)) return null;
  const isForDevelopers = target !== null && isWithin(placeOf(target), 'dev');
  if (allowed.includes(SHIPPED) && (!isForDevelopers || isTest(file))) return null;
  if (specifier === COMPUTED) return `${file} imports a computed path`;
  if (target === null) {
    const isServerModule = BROWSER.some((outer) => isWithin(zone, outer)) && isBuiltin(specifier) && !isTest(file);
    return isServerModule ? `${file} runs in a browser and imports ${specifier}` : null;
  }
  const place = placeOf(target);
  const asTypes = typeOnly ? (TYPES[zone] ?? []) : [];
  if ([zone, ...allowed, ...asTypes].some((other) => covers(other, place)))
    return isTest(file) || mayEnter(placeOf(file), place)
      ? null
      : `${file} (${zone}) imports ${target}, which is private`;
  const usesRouterType = USES_ROUTER_TYPE.some((outer) => isWithin(zone, outer));
  if (usesRouterType && place === 'server/router.ts' && typeOnly && names.every((name) => name === 'AppRouter'))
    return null;
  return `${file} (${zone}) imports ${target}`;
}
