'use client';
import { CircleCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { InvitationLinkView } from '#contract/patient-sign-in.ts';
import { credentials } from '#sdk/index.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { BrokenLink } from '#web/ui/broken-link.tsx';
import { ClinicName } from '#web/ui/clinic-look.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { LogoMark } from '#web/ui/logo.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { callLinkApi } from '../../ui/links/link.ts';
import { InvitationForm } from './invitation-form.tsx';

/** Separates the SDK's configuration token from the invitation's token. */
const SEPARATOR = '~';

type Stage =
  | { at: 'opening' }
  /** `link` is null for older emails, or when the request failed: the page then asks for the email address. */
  | { at: 'form'; link: InvitationLinkView | null }
  | { at: 'done'; link: InvitationLinkView | null }
  | { at: 'incomplete' }
  | { at: 'over'; clinic: string | null };

async function open(): Promise<Stage> {
  const [configuration = '', token] = window.location.hash.slice(1).split(SEPARATOR);
  try {
    credentials.configure(configuration);
  } catch {
    return { at: 'incomplete' };
  }
  if (!token) return { at: 'form', link: null };
  try {
    return { at: 'form', link: await callLinkApi<InvitationLinkView>('invitations.open', token) };
  } catch (error) {
    const [{ code, meta }] = readApiErrors(error);
    if (code !== 'expired_code') return { at: 'form', link: null };
    return { at: 'over', clinic: typeof meta?.clinic === 'string' ? meta.clinic : null };
  }
}

/** The page behind an invitation: replaces the temporary password with the patient's own. */
export function Invitation() {
  const [stage, setStage] = useState<Stage>({ at: 'opening' });
  useEffect(() => {
    void open().then(setStage);
  }, []);
  if (stage.at === 'incomplete')
    return (
      <main className="flex-1">
        <BrokenLink
          title="This link is incomplete"
          what="A part of it was lost on the way."
          next="Open the whole link from your mail, or ask your clinic for a new invitation."
        />
      </main>
    );
  if (stage.at === 'over')
    return (
      <main className="flex-1">
        <BrokenLink
          clinic={stage.clinic}
          title="This invitation is over"
          what="It was answered already, a newer one took its place, or your clinic took it back, for example to correct an email address."
          next={`If you have chosen a password, sign in with it in the app. Otherwise ask ${stage.clinic ?? 'your clinic'} for a new invitation.`}
        />
      </main>
    );
  const clinic = 'link' in stage ? stage.link?.clinic : undefined;
  return (
    <main className="flex-1">
      <header className="mb-6 flex items-center gap-2.5">
        <LogoMark className="size-7 shrink-0" />
        {stage.at !== 'opening' && <ClinicName known={clinic} />}
      </header>
      <h1 className="mb-1 text-xl font-semibold tracking-tight">Your invitation</h1>
      {stage.at === 'opening' && (
        <div role="status" aria-label="Opening your invitation" className="grid gap-4 pt-2">
          <Skeleton className="h-10" />
          <Skeleton className="h-10" />
        </div>
      )}
      {stage.at === 'form' && (
        <InvitationForm
          knownEmail={stage.link?.email ?? null}
          onDone={() => setStage({ at: 'done', link: stage.link })}
        />
      )}
      {stage.at === 'done' && (
        <div aria-live="polite">
          <EmptyState
            icon={CircleCheck}
            title="Your password is set"
            description={`Sign in to the app of ${clinic ?? 'your clinic'} with your email address and your new password.`}
          />
        </div>
      )}
    </main>
  );
}
