'use client';
import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { AccountView } from '#contract/team.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { DataTableSkeleton } from '#web/ui/skeleton.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { signOut } from '../shell/session.ts';
import { CalendarLinkCard } from './calendar-link-card.tsx';
import { DailyListCard } from './daily-list-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { useRefreshAccount } from './use-refresh-account.ts';

const TwoStepDialog = dynamic(() => import('./two-step-dialog.tsx').then((module) => module.TwoStepDialog), {
  ssr: false,
});
const RecoveryCodesDialog = dynamic(
  () => import('./recovery-codes-dialog.tsx').then((module) => module.RecoveryCodesDialog),
  { ssr: false },
);
const TurnOffDialog = dynamic(() => import('./turn-off-dialog.tsx').then((module) => module.TurnOffDialog), {
  ssr: false,
});

const FEW = 3;

function TwoStepCard({ account }: { account: AccountView }) {
  const refresh = useRefreshAccount();
  const [open, setOpen] = useState<'set up' | 'codes' | 'off' | null>(null);
  const close = () => setOpen(null);
  const { turned_on_at, recovery_codes_left, required } = account.two_step;
  return (
    <Card aria-label="Two-step sign-in">
      <CardHeader
        title="Two-step sign-in"
        description="A code of an app on your phone, beside your password."
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
            <span className={recovery_codes_left <= FEW ? 'text-warn-ink' : 'text-muted'}>
              {recovery_codes_left === 1 ? '1 recovery code is' : `${recovery_codes_left} recovery codes are`} left for
              the day when your phone is not at hand.
            </span>
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

const ConfirmDialog = dynamic(() => import('#web/ui/confirm-dialog.tsx').then((module) => module.ConfirmDialog), {
  ssr: false,
});

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
  const account = useQuery(trpc.account.get.queryOptions({}));
  return (
    <>
      <PageHeader title="Your account" description="How you sign in, and what others call you" />
      {account.data ? (
        <div className="grid max-w-2xl gap-5">
          <TwoStepCard account={account.data} />
          <ProfileCard account={account.data} />
          <PasswordCard email={account.data.email} />
          <CalendarLinkCard />
          <DailyListCard />
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
