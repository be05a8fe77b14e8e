'use client';
import { LogOut } from 'lucide-react';
import { useState } from 'react';
import type { UserPayload } from '#sdk/index.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { Input } from '#web/ui/input.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { NameFields } from '../fields.tsx';
import { Loading } from '../loading.tsx';
import type { Go } from '../screen.ts';
import { StepForm } from '../step-form.tsx';
import { loadProfile, saveProfile } from '../steps/profile.ts';
import { signOut } from '../steps/sign-out.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';

type ProfileProps = { payload: UserPayload; go: Go };

export function Profile({ payload, go }: ProfileProps) {
  const { data: patient, error, reload, set } = useLoaded(loadProfile);
  const [isSaved, setSaved] = useState(false);
  if (!patient) return <Loading error={error} what="your profile" onRetry={reload} />;
  return (
    <div className="grid gap-6">
      <StepForm
        submit="Save"
        action={async (typed) => {
          setSaved(false);
          const changes = {
            first_name: typed('first'),
            last_name: typed('last'),
            birth_date: typed('birth') || null,
          };
          set(await saveProfile(patient.id, changes));
          setSaved(true);
        }}
      >
        <NameFields first={patient.first_name ?? ''} last={patient.last_name ?? ''} />
        <Field label="Date of birth">
          <Input name="birth" type="date" autoComplete="bday" defaultValue={patient.birth_date ?? ''} />
        </Field>
        <p role="status" className="text-[13px] text-good-ink empty:hidden">
          {isSaved && 'Saved.'}
        </p>
      </StepForm>
      <SignInData payload={payload} go={go} />
      <SignOut />
    </div>
  );
}

function SignInData({ payload, go }: ProfileProps) {
  const { email, emailVerified, phoneNumber, phoneNumberVerified } = payload;
  return (
    <dl className="divide-y divide-line rounded-xl border border-line">
      <Datum name="Email" value={email} isVerified={emailVerified} onChange={() => go({ at: 'change-email' })} />
      <Datum
        name="Phone"
        value={phoneNumber && formatPhone(phoneNumber)}
        isVerified={phoneNumberVerified}
        onChange={() => go({ at: 'change-phone-number' })}
      />
      {email && <Datum name="Password" value="••••••••" onChange={() => go({ at: 'change-password' })} />}
    </dl>
  );
}

type DatumProps = { name: string; value: string | null; isVerified?: boolean; onChange: () => void };

function Datum({ name, value, isVerified, onChange }: DatumProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-3 py-2.5">
      <dt className="flex items-center gap-2 text-[13px] text-muted">
        {name}
        {value && isVerified !== undefined && (
          <Badge tone={isVerified ? 'good' : 'warn'}>{isVerified ? 'Verified' : 'Not verified'}</Badge>
        )}
      </dt>
      <dd className="wrap-anywhere">{value ?? '–'}</dd>
      <dd className="col-start-2 row-span-2 row-start-1">
        <Button size="sm" aria-label={`${value ? 'Change' : 'Add'} ${name.toLowerCase()}`} onClick={onChange}>
          {value ? 'Change' : 'Add'}
        </Button>
      </dd>
    </div>
  );
}

function SignOut() {
  const { pending, error, run } = useAction();
  return (
    <div className="grid gap-3">
      <ErrorMessage error={error} />
      <Button variant="ghost" pending={pending} onClick={() => void run(signOut)}>
        <LogOut aria-hidden />
        Sign out
      </Button>
    </div>
  );
}
