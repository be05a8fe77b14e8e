'use client';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { EntryFrame } from '../sign-in/entry-frame.tsx';
import { signOut } from '../sign-in/sign-out.ts';

const TwoStepDialog = lazyComponent(() => import('./two-step-dialog.tsx').then((module) => module.TwoStepDialog));

/** Replaces the portal until a user who must use two-step sign-in has set it up. The server enforces this as well. */
export function TwoStepGate() {
  const [open, setOpen] = useState(false);
  return (
    <EntryFrame
      title="One more step to be safe"
      description="Your role requires it: you sign in with your password and a code from an app on your phone. Set it up once, and your clinic's records are safe even from someone who learns your password."
    >
      <div className="grid gap-3">
        <Button variant="primary" size="lg" onClick={() => setOpen(true)}>
          <ShieldCheck aria-hidden />
          Set up two-step sign-in
        </Button>
        <Button variant="ghost" onClick={signOut}>
          Sign out
        </Button>
      </div>
      {open && <TwoStepDialog onClose={() => setOpen(false)} onChanged={() => window.location.reload()} />}
    </EntryFrame>
  );
}
