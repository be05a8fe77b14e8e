'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { AccountView } from '#contract/team.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
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

export function TwoStepCard({ account }: { account: AccountView }) {
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
