'use client';
import { CircleCheck } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import type { InvitationLinkView } from '#contract/patient-sign-in.ts';
import { credentials, user } from '#sdk/index.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { BrokenLink } from '#web/ui/broken-link.tsx';
import { Button } from '#web/ui/button.tsx';
import { ClinicName } from '#web/ui/clinic-look.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Field } from '#web/ui/field.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { Input } from '#web/ui/input.tsx';
import { LogoMark } from '#web/ui/logo.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { callLinkApi } from '../../ui/links/link.ts';

/** Messages for patients, by the SDK's error code; the SDK's own messages are for developers. */
const MESSAGES: Record<string, string> = {
  invalid_credentials: 'The temporary password is not correct. Copy it from the newest email, with its dashes.',
  invitation_expired: 'This invitation has expired. Send yourself another one below.',
  expired_handshake: 'This has taken too long. Press the button again.',
  invalid_parameter: 'Choose another password: this one is too short or too easy to guess.',
  rate_limited: 'Too many tries. Wait a few minutes, then try again.',
  service_busy: 'Many are waiting for this at the moment. Try again in a few seconds.',
  sign_in_closed:
    'After many wrong passwords this works only on a device that you have used before. Ask your clinic for a new invitation.',
  sign_in_locked: 'A change to this account was undone. Contact your clinic to sign in again.',
  proof_of_work_required: 'Many emails were requested already. Wait an hour, then try again.',
  network: 'The server did not answer. Check your connection and try again.',
  timeout: 'The server did not answer in time. Try again.',
};
const DEFAULT_MESSAGE = 'This did not work. Try again; if it still fails, ask your clinic.';

const invitationErrorMessage = (error: unknown): string =>
  MESSAGES[(error as { code?: string }).code ?? ''] ?? DEFAULT_MESSAGE;

const MIN_PASSWORD_LENGTH = 12;
type Missing = { email?: string; temporary?: string; password?: string };

function findMissing({ email, temporary, password }: Required<Missing>): Missing {
  return {
    ...(!/^\S+@\S+$/.test(email) && { email: 'Enter the email address that the invitation was sent to.' }),
    ...(!temporary && { temporary: 'Enter the temporary password from the email.' }),
    ...(password.length < MIN_PASSWORD_LENGTH && { password: 'Choose a password of 12 characters or more.' }),
  };
}

/** The form's values by field name. */
const read = (form: HTMLFormElement) => {
  const formData = new FormData(form);
  const text = (name: string) => String(formData.get(name) ?? '').trim();
  return { email: text('email'), temporary: text('temporary'), password: String(formData.get('password') ?? '') };
};

type InvitationFormProps = {
  /** The invited email address, if the link names it. */
  knownEmail: string | null;
  onDone: () => void;
};

function InvitationForm({ knownEmail, onDone }: InvitationFormProps) {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [missing, setMissing] = useState<Missing>({});
  const [sentTo, setSentTo] = useState<string | null>(null);

  async function run(action: () => Promise<void>) {
    setPending(true);
    setError(null);
    setSentTo(null);
    try {
      await action();
    } catch (failure) {
      setError(invitationErrorMessage(failure));
    }
    setPending(false);
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { email, temporary, password } = read(form);
    const invalidFields = findMissing({ email, temporary, password });
    setMissing(invalidFields);
    const [first] = Object.keys(invalidFields);
    if (first) return form.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
    void run(async () => {
      await credentials.completeInvitationAndSetPassword(email, temporary, password);
      // This page is not the patient's app, so the session in this browser ends here.
      await user.signOut();
      onDone();
    });
  };
  const resend = (form: HTMLFormElement | null) => {
    const { email } = form ? read(form) : { email: '' };
    const { email: emailError } = findMissing({ email, temporary: '-', password: '-'.repeat(MIN_PASSWORD_LENGTH) });
    setMissing(emailError ? { email: emailError } : {});
    if (emailError) return;
    void run(async () => {
      await credentials.resendConfirmationCode(email);
      setSentTo(email);
    });
  };
  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <p className="text-muted">Choose a password of your own. The temporary one is in the email.</p>
      {error && <FormError>{error}</FormError>}
      <Field label="Email address" error={missing.email} required>
        <Input
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={knownEmail ?? ''}
          readOnly={knownEmail !== null}
        />
      </Field>
      <Field label="Temporary password" error={missing.temporary} required>
        <Input name="temporary" autoComplete="off" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field label="New password" hint="12 characters or more." error={missing.password} required>
        <Input name="password" type="password" autoComplete="new-password" />
      </Field>
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        Set password
      </Button>
      <p className="text-[13px] text-muted">
        Expired after 7 days, or lost?{' '}
        <Button variant="link" size="sm" disabled={pending} onClick={(event) => resend(event.currentTarget.form)}>
          Send me another invitation
        </Button>
      </p>
      <p aria-live="polite" className="text-[13px]">
        {sentTo && `If ${sentTo} was invited, a new email is on its way.`}
      </p>
    </form>
  );
}

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
          next="Open the whole link from your email, or ask your clinic for a new invitation."
        />
      </main>
    );
  if (stage.at === 'over')
    return (
      <main className="flex-1">
        <BrokenLink
          clinic={stage.clinic}
          title="This invitation is over"
          what="It was accepted already, a newer one took its place, or your clinic took it back, for example to correct an email address."
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
