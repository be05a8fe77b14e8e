'use client';
import { CalendarClock, CreditCard, Image, type LucideIcon, ReceiptText, UserCog, UserPlus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import { Badge, type Tone } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { Link } from '#web/ui/link.tsx';
import { useMay, useMe } from '../me.tsx';
import type { NextSteps, StepState } from './next-steps.ts';

const PatientDialog = lazyComponent(() =>
  import('../patients/patient-dialog.tsx').then((module) => module.PatientDialog),
);

const STATES: Record<StepState, { label: string; tone: Tone }> = {
  done: { label: 'Done', tone: 'good' },
  begun: { label: 'Not finished', tone: 'warn' },
  open: { label: 'To do', tone: 'neutral' },
};

/** Next steps of a new clinic, with the state of each. */
export function NextStepsCard({ steps }: { steps: NextSteps }) {
  const { tenant } = useMe();
  const mayConnect = useMay('settings:manage');
  const router = useRouter();
  const [adding, setAdding] = useState<'add' | 'invite' | null>(null);
  const connect = (label: string) =>
    mayConnect ? (
      <GoTo href="/settings/integrations">{label}</GoTo>
    ) : (
      <span className="text-[13px] text-muted">Ask an administrator</span>
    );
  return (
    <Card aria-label="Next steps" className="mb-5">
      <CardHeader title="Next steps" description="A few things, and your clinic is ready for its first day." />
      <ol className="divide-y divide-line">
        <Step
          icon={CreditCard}
          title="Connect payments"
          description="So that patients can pay for their plans."
          state={steps.payments}
          action={connect('Connect payments')}
        />
        {steps.plan && (
          <Step
            icon={ReceiptText}
            title="Make the first plan"
            description={
              steps.payments === 'open'
                ? 'What patients can subscribe to. Payments come first.'
                : 'What patients can subscribe to, with its price.'
            }
            state={steps.plan}
            action={steps.payments !== 'open' && <GoTo href="/plans">Go to plans</GoTo>}
          />
        )}
        <Step
          icon={CalendarClock}
          title="Connect times"
          description="So that appointments can be booked in the calendars of your team."
          state={steps.times}
          action={connect('Connect times')}
        />
        {steps.logo && (
          <Step
            icon={Image}
            title="Add your logo"
            description="Patients see it on your pages and in your emails."
            state={steps.logo}
            action={<GoTo href="/settings/clinic">Add logo</GoTo>}
          />
        )}
        {steps.colleagues && (
          <Step
            icon={UserCog}
            title="Invite colleagues"
            description="Each with a role that says what they may do. If you work alone, leave this out."
            state={steps.colleagues}
            action={<GoTo href="/settings/team">Invite colleagues</GoTo>}
          />
        )}
        <Step
          icon={UserPlus}
          title="Add the first patient"
          description={
            tenant.invites_enabled
              ? 'Add a record, or invite a patient to sign in.'
              : 'Everything else starts with a patient.'
          }
          state={steps.patient}
          action={
            <>
              {tenant.invites_enabled && <Button onClick={() => setAdding('invite')}>Invite patient</Button>}
              <Button onClick={() => setAdding('add')}>Add patient</Button>
            </>
          }
        />
      </ol>
      {adding && (
        <PatientDialog
          open
          invite={adding === 'invite'}
          onOpenChange={() => setAdding(null)}
          onSaved={(patient) => router.push(`/patients/${patient.id}`)}
        />
      )}
    </Card>
  );
}

const GoTo = ({ href, children }: { href: string; children: ReactNode }) => (
  <Button asChild>
    <Link href={href}>{children}</Link>
  </Button>
);

type StepProps = { icon: LucideIcon; title: string; description: string; state: StepState; action: ReactNode };

function Step({ icon: Icon, title, description, state, action }: StepProps) {
  const { label, tone } = STATES[state];
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <Icon aria-hidden className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {title}
          <Badge tone={tone}>{label}</Badge>
        </p>
        <p className="text-[13px] text-muted">{description}</p>
      </div>
      {state !== 'done' && <div className="flex flex-wrap items-center gap-2">{action}</div>}
    </li>
  );
}
