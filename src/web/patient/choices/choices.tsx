'use client';
import { useState } from 'react';
import type { ChoicesPageView } from '#contract/message-choices.ts';
import { firstErrorMessage } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { formatPhone } from '../../ui/format-phone.ts';
import { callLinkApi, takeLinkToken } from '../../ui/links/link.ts';
import { OpenedLink } from '../frame/opened-link.tsx';
import { endedReason } from './choice-messages.ts';

type Channel = ChoicesPageView['channels'][number];
const INVALID_TEXTS = { why: 'It is not complete, or is not one of ours.', askFor: 'to end reminders' };
const NAMES = { email: 'Reminders by email', sms: 'Reminders by text' };

/** The page behind the link in a reminder: shows the channels, with a button that ends or resumes each. */
export function Choices() {
  return (
    <OpenedLink<ChoicesPageView>
      page="choices"
      step="messageChoices.open"
      title="Your reminders"
      invalidTexts={INVALID_TEXTS}
    >
      {(view) => <ChannelList first={view} />}
    </OpenedLink>
  );
}

function ChannelList({ first }: { first: ChoicesPageView }) {
  const [view, setView] = useState(first);
  return (
    <div className="grid gap-5">
      <div>
        <h1 className="text-xl font-semibold tracking-tight text-balance">Your reminders</h1>
        <p className="mt-2 text-muted">
          Choose whether {view.clinic} reminds you. You still get news of your appointments, and what you ask for, such
          as a code to sign in, unless it says otherwise below.
        </p>
      </div>
      {view.channels.length === 0 && <p>Nothing is sent to you.</p>}
      <ul className="grid gap-3">
        {view.channels.map((choice) => (
          <ChannelChoice key={choice.channel} choice={choice} onChanged={setView} />
        ))}
      </ul>
    </div>
  );
}

function ChannelChoice({ choice, onChanged }: { choice: Channel; onChanged: (view: ChoicesPageView) => void }) {
  const { channel, state, because } = choice;
  const reason = endedReason(choice, formatPhone);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isOn = state === 'allowed';
  const toggle = async () => {
    setPending(true);
    setError(null);
    try {
      const token = takeLinkToken('choices') ?? '';
      const next = isOn ? 'stopped' : 'allowed';
      onChanged(await callLinkApi<ChoicesPageView>('messageChoices.change', token, { channel, state: next }));
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <li className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <div>
        <h2 className="font-medium">{NAMES[channel]}</h2>
        <p aria-live="polite" className="text-muted">
          {isOn ? 'They may be sent to you.' : 'They are not sent to you.'}
        </p>
      </div>
      {reason && <p className="text-[13px] text-muted">{reason}</p>}
      {(isOn || because !== 'stop') && (
        <Button variant={isOn ? 'secondary' : 'primary'} pending={pending} onClick={() => void toggle()}>
          {isOn ? `End ${NAMES[channel].toLowerCase()}` : `Get ${NAMES[channel].toLowerCase()} again`}
        </Button>
      )}
      {error !== null && <FormError>{firstErrorMessage(error)}</FormError>}
    </li>
  );
}
