'use client';
import { MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import type { PatientSessionView, PatientSignInView } from '#contract/patient-sign-in.ts';
import type { PatientView } from '#contract/patients.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPCClient } from '../../trpc-client.tsx';
import { useMay, useMe } from '../me.tsx';
import { deviceLabel, END_REASON_LABELS, lockMessage, signInMethodsMessage } from './sign-in-labels.ts';

/** Number of sessions shown; an app that signs in at each start leaves a session behind each time. */
const MAX_SHOWN = 5;

type DevicesProps = {
  sessions: PatientSessionView[];
  /** Absent for staff who may not sign patients out. */
  onSignOut?: (session: PatientSessionView) => void;
};

/** Active sessions of the patient, the newest first. */
function Devices({ sessions, onSignOut }: DevicesProps) {
  const [all, setAll] = useState(false);
  const shown = all ? sessions : sessions.slice(0, MAX_SHOWN);
  return (
    <div className="border-t border-line">
      <ul aria-label="Signed in now" className="divide-y divide-line">
        {shown.map((session) => (
          <li key={session.id} className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-2.5 px-4 py-3">
            <MonitorSmartphone aria-hidden className="mt-0.5 size-4 text-muted" />
            <div className="text-[13px] text-muted">
              <p className="text-sm text-ink">{deviceLabel({ ...session, network: null })}</p>
              {session.network && <p className="tabular-nums">Network {session.network}</p>}
              <p>
                Since <DateTime value={session.started_at} />
              </p>
              <p>
                Last used <DateTime value={session.last_used_at} />
              </p>
            </div>
            {onSignOut && (
              <Button
                size="sm"
                variant="ghost"
                aria-label={`Sign out ${deviceLabel(session)}`}
                onClick={() => onSignOut(session)}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > MAX_SHOWN && (
        <Button size="sm" variant="ghost" className="mx-1.5 mb-2" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${sessions.length}`}
        </Button>
      )}
    </div>
  );
}

const HelpDialog = lazyComponent(() => import('./sign-in-dialogs.tsx').then((module) => module.HelpDialog));
const ChangeEmailDialog = lazyComponent(() =>
  import('./sign-in-dialogs.tsx').then((module) => module.ChangeEmailDialog),
);
const EndSessions = lazyComponent(() => import('./sign-in-dialogs.tsx').then((module) => module.EndSessions));

type SignInDetailsProps = { patient: PatientView; signIn: PatientSignInView };

/** The card once loaded; see `SignInCard`. */
export function SignInDetails({ patient, signIn }: SignInDetailsProps) {
  const [ending, setEnding] = useState<PatientSessionView | 'all' | null>(null);
  const [isHelping, setHelping] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const mayHelp = useMay('patients:write');
  const { sessions } = signIn;
  return (
    <Card aria-label="Sign-in">
      <CardHeader
        title="Sign-in"
        actions={
          mayHelp &&
          sessions.length > 0 && (
            <Button size="sm" onClick={() => setEnding('all')}>
              Sign out everywhere
            </Button>
          )
        }
      />
      {signIn.locked && <Locked locked={signIn.locked} />}
      {signIn.asked_email && <PendingEmailChange patientId={patient.id} change={signIn.asked_email} />}
      <SignInMethods signIn={signIn} />
      {mayHelp && (
        <div className="flex flex-wrap gap-2 px-4 pb-4 empty:hidden">
          {(patient.status === 'invited' || signIn.ways.includes('invitation')) && (
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
              {!signIn.locked && (
                <Button size="sm" onClick={() => setChanging(true)}>
                  Change email
                </Button>
              )}
            </>
          )}
        </div>
      )}
      {sessions.length > 0 && <Devices sessions={sessions} {...(mayHelp && { onSignOut: setEnding })} />}
      {signIn.earlier.length > 0 && <Earlier sessions={signIn.earlier} />}
      {signIn.helps.length > 0 && <Helps helps={signIn.helps} />}
      {isChanging && <ChangeEmailDialog patient={patient} onClose={() => setChanging(false)} />}
      {isHelping && <HelpDialog patient={patient} signIn={signIn} onClose={() => setHelping(false)} />}
      {ending && <EndSessions patient={patient} session={ending} onClose={() => setEnding(null)} />}
    </Card>
  );
}

function SignInMethods({ signIn }: { signIn: PatientSignInView }) {
  const { ways, email, email_verified, phone_number } = signIn;
  return (
    <div className="grid gap-2 p-4">
      <p>{signInMethodsMessage(signIn)}</p>
      {phone_number && (
        <p className="flex flex-wrap items-center gap-x-2 tabular-nums">
          {formatPhone(phone_number)}
          {signIn.confirmed ? <Badge tone="good">Confirmed</Badge> : <Badge tone="warn">Not confirmed</Badge>}
        </p>
      )}
      {email && ways.some((method) => method !== 'text_message') && (
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
        Since <DateTime value={locked.since} />. {lockMessage(locked)}
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
            <p className="text-ink">{deviceLabel(session)}</p>
            <p>
              Signed in <DateTime value={session.started_at} />
            </p>
            <p>
              {END_REASON_LABELS[session.end_reason ?? 'expired']}, <DateTime value={session.ended_at} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

type ActionButtonProps = { label: string; done: string; act: () => Promise<unknown>; className?: string };

/** A button that changes how the patient signs in, and says what came of it. */
function ActionButton({ label, done, act, className }: ActionButtonProps) {
  const refreshSignIn = useInvalidate('patientSignIn');
  const refreshPatient = useInvalidate('patients');
  const [isPending, setPending] = useState(false);
  const run = async () => {
    setPending(true);
    try {
      await act();
      toast.success(done);
      await Promise.all([refreshSignIn(), refreshPatient()]);
    } catch (error) {
      toast.error(firstErrorMessage(error));
    } finally {
      setPending(false);
    }
  };
  return (
    <Button size="sm" className={className} pending={isPending} onClick={() => void run()}>
      {label}
    </Button>
  );
}

/** Sends an invited patient a new link and temporary password. */
function ResendInvitation({ patientId }: { patientId: string }) {
  const client = useTRPCClient();
  return (
    <ActionButton
      label="Send invitation again"
      done="Invitation sent again"
      act={() => client.invitations.resend.mutate({ id: patientId })}
    />
  );
}

type PendingEmailChangeProps = { patientId: string; change: NonNullable<PatientSignInView['asked_email']> };

/** An email change that the patient has not confirmed yet, with a button to withdraw it. */
function PendingEmailChange({ patientId, change }: PendingEmailChangeProps) {
  const client = useTRPCClient();
  const mayWithdraw = useMay('patients:write');
  return (
    <div className="m-4 mb-0 rounded-md bg-info-soft px-3 py-2 text-[13px] text-info-ink">
      <p className="font-medium wrap-anywhere">Waiting for {change.email}</p>
      <p>
        The patient confirms this new address with the link in the email, until <DateTime value={change.until} />.
      </p>
      {mayWithdraw && (
        <ActionButton
          label="Take it back"
          done="The link does not work any more"
          className="mt-1.5"
          act={() => client.patientSignIn.withdrawEmailChange.mutate({ patient_id: patientId })}
        />
      )}
    </div>
  );
}

/** Invites a patient who cannot sign in yet, or says what prevents it. */
function InviteToSignIn({ patient }: { patient: PatientView }) {
  const client = useTRPCClient();
  const { invites_enabled } = useMe().tenant;
  if (!invites_enabled)
    return <Hint>To let them sign in, an administrator turns on invitations under API credentials.</Hint>;
  if (!patient.email && !patient.phone_number)
    return <Hint>To invite them, first add a mobile number or an email address to their details.</Hint>;
  return (
    <ActionButton
      label="Invite to sign in"
      done="Invitation sent"
      act={() => client.invitations.invite.mutate({ id: patient.id })}
    />
  );
}

const Hint = ({ children }: { children: string }) => <p className="text-[13px] text-muted">{children}</p>;
