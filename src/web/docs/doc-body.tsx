import { Link } from '#web/ui/link.tsx';
import type { DocPage } from './documentation.ts';
import { linkStyle, MarkdownBody } from './markdown/markdown-body.tsx';
import { readMarkdown } from './markdown/read-markdown.ts';
import { ModelSection, OperationSection } from './reference/reference-sections.tsx';
import { CodeSamples } from './samples/language.tsx';
import { LANGUAGES, type Samples } from './samples/languages.ts';
import { type ReaderIds, withReaderIds } from './samples/reader-ids.ts';
import { SampleToken } from './samples/sample-token.tsx';

type DocBodyProps = {
  page: DocPage;
  pages: DocPage[];
  /** How to get a token, shown before the first call of a resource. */
  beginning: Samples;
  /** Ids of the reader's own sandbox. */
  own: ReaderIds;
  /** An application of the reader's sandbox, or null. */
  applicationId: string | null;
  isSandbox: boolean;
};

/** The content of a docs page. */
export function DocBody({ page, pages, beginning, own, applicationId, isSandbox }: DocBodyProps) {
  const hasOwnValues = applicationId !== null || !isSandbox;
  if (page.kind === 'text')
    return (
      <>
        {!hasOwnValues && EXAMPLE_VALUES.test(page.markdown) && <SignInHint path={page.path} />}
        <MarkdownBody markdown={readMarkdown(page.markdown)} />
        {page.path === '/docs' && <AllPages pages={pages} />}
      </>
    );
  return (
    <>
      <section aria-label="Before the first call" className="mb-8 grid max-w-2xl gap-2">
        <p className="text-muted">Before the first call, once:</p>
        <CodeSamples of="before the first call" samples={beginning} />
        {applicationId && <SampleToken applicationId={applicationId} />}
        {!hasOwnValues && <SignInHint path={page.path} />}
      </section>
      {page.group.operations.map((operation) => (
        <OperationSection
          key={operation.anchor}
          operation={{ ...operation, samples: ownSamples(operation.samples, own) }}
        />
      ))}
      {page.group.models.map((model) => (
        <ModelSection key={model.anchor} model={model} />
      ))}
    </>
  );
}

/** The placeholders for a client id, configuration token or price that readers see without a session. */
const EXAMPLE_VALUES = /your-client-id|care_sandbox_…|price_…/;

/** For readers who are not signed in to a sandbox. */
function SignInHint({ path }: { path: string }) {
  return (
    <p className="mb-3.5 max-w-prose text-muted">
      Ids and tokens on this page are made up.{' '}
      <Link href={`/sign-in?callbackUrl=${encodeURIComponent(path)}`} className={linkStyle}>
        Sign in to the portal
      </Link>{' '}
      as an administrator, and it has those of your sandbox.
    </p>
  );
}

const ownSamples = (samples: Samples, own: ReaderIds) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, withReaderIds(samples[language], own)])) as Samples;

/** All other pages, with their descriptions. */
function AllPages({ pages }: { pages: DocPage[] }) {
  const headings = [...new Set(pages.map(({ heading }) => heading))].filter(
    (heading) => !['Start', 'Decisions'].includes(heading),
  );
  return headings.map((heading) => (
    <section key={heading} aria-labelledby={`pages-${heading}`} className="mt-9">
      <h2 id={`pages-${heading}`} className="mb-3 text-lg font-semibold">
        {heading}
      </h2>
      <ul className="grid gap-x-8 gap-y-4 md:grid-cols-2 2xl:grid-cols-3">
        {pages
          .filter((page) => page.heading === heading)
          .map(({ path, title, description }) => (
            <li key={path} className="min-w-0">
              <Link
                href={path}
                className="inline-flex min-h-6 items-center rounded-sm font-medium text-accent-ink underline underline-offset-3 wrap-anywhere"
              >
                {title}
              </Link>
              <p className="mt-0.5 text-muted">{description}</p>
            </li>
          ))}
      </ul>
    </section>
  ));
}
