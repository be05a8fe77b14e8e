'use client';
import { useCallback, useEffect, useState } from 'react';
import type { AddressChangeView } from '#contract/address-changes.ts';
import { askLink } from '../patient-pages/ask-link.ts';
import { DeadLink, LinkTrouble } from '../patient-pages/dead-link.tsx';
import { forgetLinkToken, takeLinkToken } from '../patient-pages/link-token.ts';
import { PatientPage } from '../patient-pages/patient-page.tsx';
import { readApiFaults } from '../ui/api-faults.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { UndoOutcome } from './undo-outcome.tsx';
import { UndoQuestion } from './undo-question.tsx';

type Stage =
  | { at: 'opening' }
  | { at: 'open'; token: string; change: AddressChangeView }
  | { at: 'nowhere'; error?: unknown }
  | { at: 'trouble'; error: unknown };

/** The page behind the link that an address got when another took its place: says what undoing does, and does it. */
export function UndoChange() {
  const [stage, setStage] = useState<Stage>({ at: 'opening' });
  const open = useCallback(async () => {
    const token = takeLinkToken('undo');
    if (!token) return setStage({ at: 'nowhere' });
    try {
      setStage({ at: 'open', token, change: await askLink<AddressChangeView>('addressChanges.open', token) });
    } catch (error) {
      const { code } = readApiFaults(error)[0];
      const isNowhere = code === 'not_found' || code === 'invalid_parameter';
      setStage(isNowhere ? { at: 'nowhere', error } : { at: 'trouble', error });
    }
  }, []);
  useEffect(() => void open(), [open]);

  if (stage.at === 'open') {
    const { token, change } = stage;
    const undo = async () => {
      setStage({ ...stage, change: await askLink<AddressChangeView>('addressChanges.undo', token) });
      forgetLinkToken('undo');
    };
    return (
      <PatientPage clinic={change.clinic} footnote="This link is yours alone: please do not pass it on.">
        {change.state === 'valid' ? <UndoQuestion change={change} undo={undo} /> : <UndoOutcome change={change} />}
      </PatientPage>
    );
  }
  return (
    <main className="grid flex-1 content-start gap-4" aria-busy={stage.at === 'opening'}>
      {stage.at === 'opening' && (
        <>
          <h1 className="sr-only">Undo a change</h1>
          <p role="status" className="sr-only">
            Opening the link
          </p>
          <Skeleton className="h-6 w-48" />
          <Skeleton className="h-40" />
        </>
      )}
      {stage.at === 'nowhere' && (
        <DeadLink
          title="This link does not work"
          error={stage.error}
          why="It is not complete, or is not one of ours."
          askFor="for help if something is wrong with your account"
        />
      )}
      {stage.at === 'trouble' && (
        <LinkTrouble error={stage.error} title="This page cannot be opened now" onRetry={() => void open()} />
      )}
    </main>
  );
}
