'use client';
import { CircleCheck, RotateCw, TriangleAlert } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { StaffLinkView } from '#contract/team.ts';
import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { BrokenLink } from '#web/ui/broken-link.tsx';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Field } from '#web/ui/field.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { Link } from '#web/ui/link.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { requestSignIn } from './request-sign-in.ts';
import { openStaffLink, redeemStaffLink } from './staff-links.ts';

type Purpose = StaffLinkView['purpose'];

const LABELS = {
  invitation: {
    title: 'Join your clinic’s team',
    description: (clinic: string) => `${clinic} invites you to its portal. Choose a password, and you are in.`,
    done: 'Welcome to the team',
    wayOut: (clinic: string | null): ReactNode =>
      `Ask an administrator of ${clinic ?? 'your clinic'} to send the invitation again.`,
  },
  reset: {
    title: 'Set a new password',
    description: (clinic: string) => `For the portal of ${clinic}. Everywhere else you are signed out.`,
    done: 'Your new password is set',
    wayOut: (): ReactNode => (
      <Link href="/forgot-password" className="text-accent-ink underline underline-offset-3">
        Ask for a new link
      </Link>
    ),
  },
} as const;

type Stage =
  | { at: 'opening' }
  | { at: 'form'; token: string; link: StaffLinkView }
  | { at: 'done' }
  | { at: 'over'; clinic: string | null }
  | { at: 'trouble'; error: unknown };

/** Page of a link in an email to staff: joins the team, or sets a new password. The token is in the URL fragment. */
export function PasswordLink({ purpose }: { purpose: Purpose }) {
  const [stage, setStage] = useState<Stage>({ at: 'opening' });
  const open = useCallback(async () => {
    const token = window.location.hash.slice(1);
    if (!token) return setStage({ at: 'over', clinic: null });
    try {
      const link = await openStaffLink(token);
      setStage(link.purpose === purpose ? { at: 'form', token, link } : { at: 'over', clinic: link.clinic });
    } catch (error) {
      const [{ code, meta }] = readApiErrors(error);
      const clinic = typeof meta?.clinic === 'string' ? meta.clinic : null;
      const isOver = ['expired_code', 'not_found', 'invalid_parameter'].includes(code);
      setStage(isOver ? { at: 'over', clinic } : { at: 'trouble', error });
    }
  }, [purpose]);
  useEffect(() => void open(), [open]);

  const labels = LABELS[purpose];
  if (stage.at === 'over' || stage.at === 'trouble')
    return (
      <main className="mx-auto w-full max-w-lg px-4 py-6 md:py-12">
        {stage.at === 'over' ? (
          <BrokenLink
            clinic={stage.clinic}
            title="This link does not work any more"
            what="It is not complete, was used already, was replaced by a newer one, or is too old."
            next={labels.wayOut(stage.clinic)}
          />
        ) : (
          <BrokenLink
            icon={TriangleAlert}
            title="This page cannot be opened now"
            what={firstErrorMessage(stage.error)}
            next="Your link is still good."
            action={
              <Button onClick={() => void open()}>
                <RotateCw aria-hidden />
                Try again
              </Button>
            }
          />
        )}
      </main>
    );
  const description = stage.at === 'form' ? labels.description(stage.link.clinic) : 'For staff.';
  return (
    <EntryFrame title={labels.title} description={description}>
      {stage.at === 'opening' && (
        <div role="status" aria-label="Opening the link" className="grid gap-4">
          <Skeleton className="h-10" />
          <Skeleton className="h-10" />
        </div>
      )}
      {stage.at === 'form' && (
        <NewPasswordForm
          token={stage.token}
          link={stage.link}
          onDone={async (input) => {
            // Signs in with the new password; a user with two-step sign-in, or whose sign-in fails, gets the sign-in
            // form.
            const isIn = purpose === 'invitation' && (await requestSignIn(input)) === 'signed_in';
            if (isIn) window.location.assign('/');
            else setStage({ at: 'done' });
          }}
          onOver={() => setStage({ at: 'over', clinic: stage.link.clinic })}
        />
      )}
      <div aria-live="polite">
        {stage.at === 'done' && (
          <EmptyState
            icon={CircleCheck}
            title={labels.done}
            description="Sign in with your email and the password that you have just chosen."
            action={
              <Button asChild variant="primary">
                <Link href="/sign-in">Go to the sign-in</Link>
              </Button>
            }
          />
        )}
      </div>
    </EntryFrame>
  );
}

type NewPasswordFormProps = {
  token: string;
  link: StaffLinkView;
  onDone: (input: { email: string; password: string }) => Promise<void>;
  onOver: () => void;
};

function NewPasswordForm({ token, link, onDone, onOver }: NewPasswordFormProps) {
  const isInvitation = link.purpose === 'invitation';
  const form = useApiForm({
    schema: async () => (await import('./password-values.ts')).NewPasswordValues,
    defaultValues: { name: link.name, password: '' },
    save: async ({ name, password }) => {
      try {
        await redeemStaffLink({ token, password, ...(isInvitation && { name }) });
        await onDone({ email: link.email, password });
      } catch (error) {
        if (readApiErrors(error)[0].code !== 'expired_code') throw error;
        onOver();
      }
    },
  });
  return (
    <Form form={form} className="grid gap-4">
      <FormRootError />
      <Field label="Email">
        <Input name="email" type="email" autoComplete="username" value={link.email} readOnly />
      </Field>
      {isInvitation && (
        <FormField name="name" label="Your name">
          {(field) => <Input {...field} autoComplete="name" />}
        </FormField>
      )}
      <FormField name="password" label="New password" hint="12 characters or more; a few words are fine.">
        {(field) => <Input {...field} type="password" autoComplete="new-password" autoFocus />}
      </FormField>
      <Button type="submit" variant="primary" size="lg" pending={form.formState.isSubmitting}>
        {isInvitation ? 'Join the team' : 'Set password'}
      </Button>
    </Form>
  );
}
