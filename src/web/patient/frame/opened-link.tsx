'use client';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { readApiErrors } from '../../ui/api-errors.ts';
import { callLinkApi, type LinkPage, takeLinkToken } from '../../ui/links/link.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { InvalidLink, LinkUnavailable } from './invalid-link.tsx';
import { PatientPage } from './patient-page.tsx';

type Stage<View> =
  | { at: 'opening' }
  | { at: 'open'; token: string; view: View }
  | { at: 'invalid'; error?: unknown }
  | { at: 'trouble'; error: unknown };

type OpenedLinkProps<View> = {
  page: LinkPage;
  /** The API step that opens the link. */
  step: string;
  /** The page title while the link opens. */
  title: string;
  /** The texts for an invalid link. */
  invalidTexts: { why: string; askFor: string };
  /** Renders the page; `runStep` runs another step with the same token, and updates the view. */
  children: (view: View, runStep: (step: string) => Promise<void>) => ReactNode;
};

/**
 * A page whose link changes nothing until the patient presses a button: opens the link, and shows why an invalid one
 * does not work.
 */
export function OpenedLink<View extends { clinic: string }>(props: OpenedLinkProps<View>) {
  const { page, step, title, invalidTexts, children } = props;
  const [stage, setStage] = useState<Stage<View>>({ at: 'opening' });
  const open = useCallback(async () => {
    const token = takeLinkToken(page);
    if (!token) return setStage({ at: 'invalid' });
    try {
      setStage({ at: 'open', token, view: await callLinkApi<View>(step, token) });
    } catch (error) {
      const { code } = readApiErrors(error)[0];
      const isInvalid = code === 'not_found' || code === 'invalid_parameter';
      setStage(isInvalid ? { at: 'invalid', error } : { at: 'trouble', error });
    }
  }, [page, step]);
  useEffect(() => void open(), [open]);

  if (stage.at === 'open') {
    const { token, view } = stage;
    const runStep = async (next: string) => setStage({ at: 'open', token, view: await callLinkApi<View>(next, token) });
    return (
      <PatientPage clinic={view.clinic} footnote="This link is yours alone: please do not pass it on.">
        {children(view, runStep)}
      </PatientPage>
    );
  }
  return (
    <main className="grid flex-1 content-start gap-4" aria-busy={stage.at === 'opening'}>
      {stage.at === 'opening' && (
        <>
          <h1 className="sr-only">{title}</h1>
          <p role="status" className="sr-only">
            Opening the link
          </p>
          <Skeleton className="h-6 w-48" />
          <Skeleton className="h-40" />
        </>
      )}
      {stage.at === 'invalid' && <InvalidLink title="This link does not work" error={stage.error} {...invalidTexts} />}
      {stage.at === 'trouble' && (
        <LinkUnavailable error={stage.error} title="This page cannot be opened now" onRetry={() => void open()} />
      )}
    </main>
  );
}
