'use client';
import { useState } from 'react';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DeadLink, LinkTrouble } from '../frame/dead-link.tsx';
import { PatientPage } from '../frame/patient-page.tsx';
import { BillList } from './bill-list.tsx';
import { CancelStep } from './cancel-step.tsx';
import { CardChange } from './card-change.tsx';
import { DueNow } from './due-now.tsx';
import { mayNotCancelWords, noPaymentsWords, settledWords } from './manage-words.ts';
import { PlanChange } from './plan-change.tsx';
import { Standing } from './standing.tsx';
import { useManaged } from './use-managed.ts';

/** The page where a patient sees a subscription, and changes what the clinic permits. */
export function ManagePage() {
  const { stage, ask, act, retry, settle } = useManaged();
  /** The confirmation of the last action, visible and announced to screen readers. */
  const [done, setDone] = useState<string | null>(null);
  const steps = {
    ask,
    act: async (step: string, more: object, words: string) => {
      setDone(null);
      await act(step, more);
      setDone(words);
    },
  };

  if (stage.at !== 'open')
    return (
      <main className="grid flex-1 content-start gap-4" aria-busy={stage.at === 'opening'}>
        {stage.at === 'opening' && (
          <>
            <h1 className="sr-only">Your subscription</h1>
            <p role="status" className="sr-only">
              Opening your subscription
            </p>
            <Skeleton className="h-6 w-48" />
            <Skeleton className="h-28" />
            <Skeleton className="h-28" />
            <Skeleton className="h-40" />
          </>
        )}
        {stage.at === 'invalid' && (
          <DeadLink
            title="This page cannot be opened"
            error={stage.error}
            why="The link is not complete, or is too old."
            askFor="for a new one"
          />
        )}
        {stage.at === 'trouble' && (
          <LinkTrouble title="This page cannot be opened now" error={stage.error} onRetry={() => void retry()} />
        )}
      </main>
    );

  const { view } = stage;
  const settled = async (saves: boolean) => {
    setDone(null);
    const opened = await settle();
    setDone(opened ? settledWords(opened, saves) : null);
  };
  return (
    <PatientPage clinic={view.clinic}>
      <div className="grid gap-4">
        <Standing view={view} />
        <p role="status" className="rounded-md bg-good-soft px-3 py-2 text-good-ink empty:hidden">
          {done}
        </p>
        {/* A paused subscription resumes with a card that is saved for it, not with the setup intent of its trial. */}
        {view.client_secret && view.next_action !== 'none' && view.status !== 'paused' ? (
          <DueNow view={view} onDone={settled} />
        ) : (
          <CardChange view={view} steps={steps} />
        )}
        {view.plans.length > 0 && <PlanChange view={view} steps={steps} />}
        <BillList payments={view.payments} />
        {view.may_cancel && <CancelStep view={view} steps={steps} />}
        <p className="text-center text-muted empty:hidden">{noPaymentsWords(view)}</p>
        <p className="text-center text-muted empty:hidden">{mayNotCancelWords(view)}</p>
      </div>
    </PatientPage>
  );
}
