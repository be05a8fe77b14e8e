'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';

const ConnectAcuityDialog = dynamic(
  () => import('./connect-acuity-dialog.tsx').then((module) => module.ConnectAcuityDialog),
  { ssr: false },
);

export function ConnectAcuity({ connected }: { connected: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant={connected ? 'secondary' : 'primary'} onClick={() => setOpen(true)}>
        {connected ? 'Change the connection' : 'Connect'}
      </Button>
      {open && <ConnectAcuityDialog onClose={() => setOpen(false)} />}
    </>
  );
}
