import { headers } from 'next/headers';
import { readSandboxExamples } from '#server/http/page-data.ts';
import { services } from '#server/http/services.ts';
import { type DocPage, documentationOf, type PlaceholderValues } from '#web/docs/documentation.ts';
import type { OpenApiDocument } from '#web/docs/reference/open-api.ts';
import { readReference } from '#web/docs/reference/read-reference.ts';
import { tokenSamples } from '#web/docs/samples/code-samples.ts';
import type { Samples } from '#web/docs/samples/languages.ts';
import type { ReaderIds } from '#web/docs/samples/reader-ids.ts';
import { shiftPageDates } from '#web/docs/samples/shift-dates.ts';
import { searchEntries } from '#web/docs/search/search-entries.ts';
import { readPackages, readTexts } from './read-sources.ts';

type Docs = {
  pages: DocPage[];
  beginning: Samples;
  /** Ids of the reader's sandbox. */
  own: ReaderIds;
  /** An application of the reader's sandbox. */
  applicationId: string | null;
  origin: string;
  baseUrl: string;
  isSandbox: boolean;
};

type SandboxExamples = NonNullable<Awaited<ReturnType<typeof readSandboxExamples>>>;

/** The docs without user-specific content. Cached, because unauthenticated clients can request them at any rate. */
export const readDocs = (): Docs => once('docs', () => docsFor(null));

/** The docs for this reader: with their own ids if they are signed in to a sandbox's portal. */
export async function readOwnDocs(): Promise<Docs> {
  const own = await readSandboxExamples(await headers());
  return own ? docsFor(own) : readDocs();
}

/** Returns a page with its dates moved to the present. */
export function pageAt({ pages }: Docs, path: string): DocPage | undefined {
  const page = pages.find((candidate) => candidate.path === path);
  return page && shiftPageDates(page, services().clock.now());
}

/** The search index as JSON. */
export const readSearch = (): string => once('search', () => JSON.stringify(searchEntries(readDocs().pages)));

/** Not cached in development, so that changes to the docs show at once. */
function once<Value>(name: string, make: () => Value): Value {
  return process.env.NODE_ENV === 'development' ? make() : services().http.once(`docs: ${name}`, make);
}

/** The sources that do not depend on the reader, and take the most time to read. */
const readSources = () =>
  once('sources', () => ({
    texts: readTexts(),
    packages: readPackages(),
    groups: readReference(JSON.parse(services().http.openApi()) as OpenApiDocument),
  }));

function docsFor(own: SandboxExamples | null): Docs {
  const { environment, publicUrl: origin, baseUrl, issuer, inboxUrl, requestsPerMinute } = services().config;
  const isSandbox = environment === 'sandbox';
  const placeholders: PlaceholderValues = {
    environment,
    origin,
    // Production serves no packages: the docs name those of a sandbox, mostly on the reader's machine.
    packages_origin: isSandbox ? origin : 'http://localhost:3000',
    base_url: baseUrl,
    token_url: `${issuer}/oauth2/token`,
    requests_per_minute: requestsPerMinute.toLocaleString('en-US'),
    client_id: 'your-client-id',
    client_secret: 'your-client-secret',
    configuration: { passwordless: `care_${environment}_…`, credentials: `care_${environment}_…` },
    inbox_url: (isOnThisMachine(origin) && inboxUrl) || 'http://127.0.0.1:<port of the inbox>',
    price_id: 'price_…',
    trial_price_id: 'price_…',
    appointment_type_id: '41001',
    ...own?.places,
  };
  return {
    pages: documentationOf({ ...readSources(), placeholders }),
    beginning: tokenSamples({ baseUrl, tokenUrl: placeholders.token_url, clientId: placeholders.client_id }),
    own: own?.things ?? {},
    applicationId: own?.places.client_id ?? null,
    origin,
    baseUrl,
    isSandbox,
  };
}

/** On the same machine, the reader can open the service's inbox. */
const isOnThisMachine = (origin: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname);
