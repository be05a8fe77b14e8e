import { cookies } from 'next/headers';
import { notFound } from 'next/navigation';
import { DocBody } from '#web/docs/doc-body.tsx';
import { LANGUAGE_COOKIE, LANGUAGES } from '#web/docs/samples/languages.ts';
import { DocsShell } from '#web/docs/shell/docs-shell.tsx';
import { pageAt, readOwnDocs } from './read-docs.ts';

/** Renders the docs page at a path. */
export async function showPage(path: string) {
  const docs = await readOwnDocs();
  const { pages, beginning, own, applicationId, baseUrl, isSandbox } = docs;
  const page = pageAt(docs, path);
  if (!page) notFound();
  const preferred = (await cookies()).get(LANGUAGE_COOKIE)?.value;
  return (
    <DocsShell
      pages={pages}
      page={page}
      documentUrl={`${baseUrl}/openapi.json`}
      sandbox={isSandbox}
      language={LANGUAGES.find((language) => language === preferred) ?? LANGUAGES[0]}
    >
      <DocBody
        page={page}
        pages={pages}
        beginning={beginning}
        own={own}
        applicationId={applicationId}
        isSandbox={isSandbox}
      />
    </DocsShell>
  );
}
