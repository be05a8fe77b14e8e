'use client';
import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { PatientSessionView, PatientSignInView } from '#contract/patient-sign-in.ts';
import type { PatientView } from '#contract/patients.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { DataTableSkeleton } from '#web/ui/data-table-skeleton.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { AskedEmail } from './asked-email.tsx';
import { Devices } from './devices.tsx';
import { InviteToSignIn } from './invite-to-sign-in.tsx';
import { ResendInvitation } from './resend-invitation.tsx';
import { deviceWords, END_WORDS, lockWords, waysWords } from './sign-in-words.ts';

const HelpDialog = dynamic(() => import('./help-dialog.tsx').then((module) => module.HelpDialog), { ssr: false });
const ChangeEmailDialog = dynamic(() => import('./change-email.tsx').then((module) => module.ChangeEmailDialog), {
  ssr: false,
});
const EndSessions = dynamic(() => import('./end-sessions.tsx').then((module) => module.EndSessions), { ssr: false });

/** How the patient signs in, and their sessions: for support, and for a lost phone. */
export function SignInCard({ patient }: { patient: PatientView }) {
  const trpc = useTRPC();
  const signIn = useQuery(trpc.patientSignIn.get.queryOptions({ patient_id: patient.id }));
  const [ending, setEnding] = useState<PatientSessionView | 'all' | null>(null);
  const [isHelping, setHelping] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const sessions = signIn.data?.sessions ?? [];
  return (
    <Card aria-label="Sign-in">
      <CardHeader
        title="Sign-in"
        actions={
          sessions.length > 0 && (
            <Button size="sm" onClick={() => setEnding('all')}>
              Sign out everywhere
            </Button>
          )
        }
      />
      {signIn.error ? (
        <ErrorState error={signIn.error} onRetry={() => void signIn.refetch()} />
      ) : !signIn.data ? (
        <DataTableSkeleton columns={1} />
      ) : (
        <>
          {signIn.data.locked && <Locked locked={signIn.data.locked} />}
          {signIn.data.asked_email && <AskedEmail patientId={patient.id} asked={signIn.data.asked_email} />}
          <Ways signIn={signIn.data} />
          <div className="flex flex-wrap gap-2 px-4 pb-4 empty:hidden">
            {(patient.status === 'invited' || signIn.data.ways.includes('invitation')) && (
              <ResendInvitation patientId={patient.id} />
            )}
            {patient.status === 'active' && !patient.can_sign_in && !patient.care_ending_at && (
              <InviteToSignIn patient={patient} />
            )}
            {patient.status === 'active' && patient.can_sign_in && !patient.care_ending_at && (
              <>
                <Button size="sm" onClick={() => setHelping(true)}>
                  Help with signing in
                </Button>
                {!signIn.data.locked && (
                  <Button size="sm" onClick={() => setChanging(true)}>
                    Change email
                  </Button>
                )}
              </>
            )}
          </div>
          {sessions.length > 0 && <Devices sessions={sessions} onSignOut={setEnding} />}
          {signIn.data.earlier.length > 0 && <Earlier sessions={signIn.data.earlier} />}
          {signIn.data.helps.length > 0 && <Helps helps={signIn.data.helps} />}
          {isChanging && <ChangeEmailDialog patient={patient} onClose={() => setChanging(false)} />}
          {isHelping && <HelpDialog patient={patient} signIn={signIn.data} onClose={() => setHelping(false)} />}
        </>
      )}
      {ending && <EndSessions patient={patient} session={ending} onClose={() => setEnding(null)} />}
    </Card>
  );
}

function Ways({ signIn }: { signIn: PatientSignInView }) {
  const { ways, email, email_verified, phone_number } = signIn;
  return (
    <div className="grid gap-2 p-4">
      <p>{waysWords(signIn)}</p>
      {phone_number && (
        <p className="flex flex-wrap items-center gap-x-2 tabular-nums">
          {formatPhone(phone_number)}
          {signIn.confirmed ? <Badge tone="good">Confirmed</Badge> : <Badge tone="warn">Not confirmed</Badge>}
        </p>
      )}
      {email && ways.some((way) => way !== 'text_message') && (
        <p className="flex flex-wrap items-center gap-x-2 wrap-anywhere">
          {email}
          {email_verified ? <Badge tone="good">Confirmed</Badge> : <Badge tone="warn">Not confirmed</Badge>}
        </p>
      )}
      {ways.length > 0 && signIn.sessions.length === 0 && <p className="text-muted">Not signed in anywhere now.</p>}
    </div>
  );
}

function Locked({ locked }: { locked: NonNullable<PatientSignInView['locked']> }) {
  return (
    <div className="m-4 mb-0 rounded-md bg-warn-soft px-3 py-2 text-[13px] text-warn-ink">
      <p className="font-medium">Locked after an undone change</p>
      <p>
        Since <DateTime value={locked.since} />. {lockWords(locked)}
      </p>
    </div>
  );
}

function Helps({ helps }: { helps: PatientSignInView['helps'] }) {
  return (
    <details className="border-t border-line px-4 py-3 text-[13px]">
      <summary className="cursor-pointer rounded-sm py-0.5 font-medium">Help with signing in</summary>
      <ul aria-label="Help with signing in" className="mt-2 grid gap-2 text-muted">
        {helps.map((help) => (
          <li key={help.id} className="wrap-anywhere">
            <p className="text-ink">{help.identity_check}</p>
            <p>
              {help.by ?? 'Staff'}, <DateTime value={help.at} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Earlier({ sessions }: { sessions: PatientSessionView[] }) {
  return (
    <details className="border-t border-line px-4 py-3 text-[13px]">
      <summary className="cursor-pointer rounded-sm py-0.5 font-medium">Earlier sign-ins</summary>
      <ul aria-label="Earlier sign-ins" className="mt-2 grid gap-2 text-muted">
        {sessions.map((session) => (
          <li key={session.id}>
            <p className="text-ink">{deviceWords(session)}</p>
            <p>
              Signed in <DateTime value={session.started_at} />
            </p>
            <p>
              {END_WORDS[session.end_reason ?? 'expired']}, <DateTime value={session.ended_at} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
