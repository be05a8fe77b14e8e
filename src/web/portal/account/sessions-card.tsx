'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { signOut } from '../shell/sign-out.ts';

const ConfirmDialog = dynamic(() => import('#web/ui/confirm-dialog.tsx').then((module) => module.ConfirmDialog), {
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
