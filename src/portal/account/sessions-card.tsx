'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Button } from '#portal/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#portal/ui/card.tsx';
import { signOut } from '../shell/sign-out.ts';
import { useTRPCClient } from '../trpc-client.tsx';

const ConfirmDialog = dynamic(() => import('#portal/ui/confirm-dialog.tsx').then((module) => module.ConfirmDialog), {
  ssr: false,
});

export function SessionsCard() {
  const client = useTRPCClient();
  const [asking, setAsking] = useState(false);
  return (
    <Card aria-label="Sessions">
      <CardHeader
        title="Sessions"
        description="You are signed out after 30 idle minutes, and after 12 hours at most."
      />
      <CardBody>
        <Button onClick={() => setAsking(true)}>Sign out everywhere</Button>
      </CardBody>
      {asking && (
        <ConfirmDialog
          title="Sign out everywhere?"
          description="This browser and every other one where you are signed in are signed out at once."
          confirmLabel="Sign out everywhere"
          keepLabel="Stay signed in"
          act={() => client.account.signOutEverywhere.mutate({})}
          done="Signed out everywhere"
          refresh={signOut}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}
