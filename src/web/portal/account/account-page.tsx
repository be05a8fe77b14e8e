'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { AccountView } from '#contract/team.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { DataTableSkeleton, Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { ROLE_NAMES, useSeesPatients } from '../me.tsx';
import { signOut } from '../sign-in/sign-out.ts';
import { DailyListCard } from './daily-list-card.tsx';

const CalendarLinkDialog = lazyComponent(() =>
  import('./calendar-link-dialog.tsx').then((module) => module.CalendarLinkDialog),
);

/** Lets staff users subscribe to their own appointments in an external calendar program by a revocable link. */
function CalendarLinkCard() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const refresh = useInvalidate('calendarFeed');
  const [isEnding, setIsEnding] = useState(false);
  const feed = useQuery(trpc.calendarFeed.get.queryOptions({}));
  const createLink = useMutation({
    mutationFn: () => client.calendarFeed.make.mutate({}),
    onSuccess: refresh,
    onError: (error) => toast.error(firstErrorMessage(error)),
  });
  const createdAt = feed.data?.made_at;
  return (
    <Card aria-label="Your calendar elsewhere">
      <CardHeader
        title="Your calendar elsewhere"
        description="A link that shows your appointments in a calendar program and keeps them up to date. It names no patients unless an administrator allows it."
      />
      {feed.error ? (
        <ErrorState error={feed.error} onRetry={() => void feed.refetch()} />
      ) : (
        <CardBody className="grid gap-3">
          {feed.data ? (
            <>
              {createdAt && (
                <p className="text-muted">
                  There is a link, made <DateTime value={createdAt} />.
                </p>
              )}
              <div className="flex flex-wrap gap-2">
                <Button pending={createLink.isPending} onClick={() => createLink.mutate()}>
                  {createdAt ? 'Make a new link' : 'Make a link'}
                </Button>
                {createdAt && (
                  <Button variant="ghost" onClick={() => setIsEnding(true)}>
                    End the link
                  </Button>
                )}
              </div>
            </>
          ) : (
            <Skeleton className="h-8 w-32" />
          )}
        </CardBody>
      )}
      {createLink.data && <CalendarLinkDialog url={createLink.data.url} onDone={() => createLink.reset()} />}
      {isEnding && (
        <ConfirmDialog
          title="End the link?"
          description="Calendar programs that follow it show nothing new from now on."
          confirmLabel="End the link"
          keepLabel="Keep it"
          act={() => client.calendarFeed.end.mutate({})}
          done="The link is ended"
          refresh={refresh}
          onClose={() => setIsEnding(false)}
        />
      )}
    </Card>
  );
}

const TwoStepDialog = lazyComponent(() => import('./two-step-dialog.tsx').then((module) => module.TwoStepDialog));
const RecoveryCodesDialog = lazyComponent(() =>
  import('./two-step-dialog.tsx').then((module) => module.RecoveryCodesDialog),
);
const TurnOffDialog = lazyComponent(() => import('./two-step-dialog.tsx').then((module) => module.TurnOffDialog));

const FEW_CODES = 3;

function TwoStepCard({ account }: { account: AccountView }) {
  const refresh = useInvalidate('account');
  const [open, setOpen] = useState<'set up' | 'codes' | 'off' | null>(null);
  const close = () => setOpen(null);
  const { turned_on_at, recovery_codes_left, required } = account.two_step;
  return (
    <Card aria-label="Two-step sign-in">
      <CardHeader
        title="Two-step sign-in"
        description="A code from an app on your phone, in addition to your password."
        actions={
          <Badge tone={turned_on_at ? 'good' : 'neutral'} dot>
            {turned_on_at ? 'On' : 'Off'}
          </Badge>
        }
      />
      <CardBody className="grid gap-4">
        {turned_on_at ? (
          <p>
            On since <DateTime value={turned_on_at} shape="date" />.{' '}
            <span className={recovery_codes_left <= FEW_CODES ? 'text-warn-ink' : 'text-muted'}>
              {recovery_codes_left === 1 ? '1 recovery code is' : `${recovery_codes_left} recovery codes are`} left for
              the day when your phone is not at hand.
            </span>
            {required && ' Your role requires it: it cannot be turned off.'}
          </p>
        ) : (
          <p className="text-muted">With it, someone who learns your password still cannot sign in as you.</p>
        )}
        <div className="flex flex-wrap gap-2">
          {turned_on_at ? (
            <>
              <Button onClick={() => setOpen('set up')}>Use another app or phone</Button>
              <Button onClick={() => setOpen('codes')}>New recovery codes</Button>
              {!required && (
                <Button variant="ghost" onClick={() => setOpen('off')}>
                  Turn off
                </Button>
              )}
            </>
          ) : (
            <Button variant="primary" onClick={() => setOpen('set up')}>
              Set up two-step sign-in
            </Button>
          )}
        </div>
      </CardBody>
      {open === 'set up' && <TwoStepDialog onClose={close} onChanged={refresh} />}
      {open === 'codes' && <RecoveryCodesDialog onClose={close} />}
      {open === 'off' && <TurnOffDialog onClose={close} />}
    </Card>
  );
}

const ConfirmDialog = lazyComponent(() => import('#web/ui/confirm-dialog.tsx').then((module) => module.ConfirmDialog));

function SessionsCard() {
  const client = useTRPCClient();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Card aria-label="Sessions">
      <CardHeader
        title="Sessions"
        description="You are signed out after 30 idle minutes, and after 12 hours at most."
      />
      <CardBody>
        <Button onClick={() => setConfirming(true)}>Sign out everywhere</Button>
      </CardBody>
      {isConfirming && (
        <ConfirmDialog
          title="Sign out everywhere?"
          description="This browser and every other one where you are signed in are signed out at once."
          confirmLabel="Sign out everywhere"
          keepLabel="Stay signed in"
          act={() => client.account.signOutEverywhere.mutate({})}
          done="Signed out everywhere"
          refresh={signOut}
          onClose={() => setConfirming(false)}
        />
      )}
    </Card>
  );
}

export function AccountPage() {
  const trpc = useTRPC();
  const seesPatients = useSeesPatients();
  const account = useQuery(trpc.account.get.queryOptions({}));
  return (
    <>
      <PageHeader title="Your account" description="How you sign in, and what others call you" />
      {account.data ? (
        <div className="grid max-w-2xl gap-5">
          <TwoStepCard account={account.data} />
          <ProfileCard account={account.data} />
          <PasswordCard email={account.data.email} />
          {seesPatients && (
            <>
              <CalendarLinkCard />
              <DailyListCard />
            </>
          )}
          <SessionsCard />
        </div>
      ) : (
        <Card className="max-w-2xl">
          {account.error ? (
            <ErrorState error={account.error} onRetry={() => void account.refetch()} />
          ) : (
            <DataTableSkeleton columns={2} />
          )}
        </Card>
      )}
    </>
  );
}

function PasswordCard({ email }: { email: string }) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: async () => (await import('./account-values.ts')).PasswordValues,
    defaultValues: { current_password: '', new_password: '' },
    save: async (values) => {
      await client.account.changePassword.mutate(values);
      form.reset();
      toast.success('Password changed', { description: 'Your other devices are signed out.' });
    },
  });
  return (
    <Card aria-label="Password">
      <CardHeader title="Password" description="A new one signs your other devices out." />
      <CardBody>
        <Form form={form} className="grid gap-4">
          <FormRootError />
          <input type="hidden" autoComplete="username" value={email} readOnly />
          <FormField name="current_password" label="Current password">
            {(field) => <Input {...field} type="password" autoComplete="current-password" />}
          </FormField>
          <FormField name="new_password" label="New password" hint="12 characters or more; a few words are fine.">
            {(field) => <Input {...field} type="password" autoComplete="new-password" />}
          </FormField>
          <div>
            <Button type="submit" pending={form.formState.isSubmitting}>
              Change password
            </Button>
          </div>
        </Form>
      </CardBody>
    </Card>
  );
}

function ProfileCard({ account }: { account: AccountView }) {
  const client = useTRPCClient();
  const router = useRouter();
  const refresh = useInvalidate('account');
  const form = useApiForm({
    schema: async () => (await import('#contract/team.ts')).RenameInput,
    defaultValues: { name: account.name },
    save: async (values) => {
      await client.account.rename.mutate(values);
      toast.success('Name saved');
      router.refresh();
      await refresh();
    },
  });
  return (
    <Card aria-label="Profile">
      <CardHeader title="Profile" description={`${account.email} · ${ROLE_NAMES[account.role]}`} />
      <CardBody>
        <Form form={form} className="grid gap-4">
          <FormRootError />
          <FormField name="name" label="Name" hint="As your colleagues see it.">
            {(field) => <Input {...field} autoComplete="name" />}
          </FormField>
          <div>
            <Button type="submit" pending={form.formState.isSubmitting}>
              Save name
            </Button>
          </div>
        </Form>
      </CardBody>
    </Card>
  );
}
