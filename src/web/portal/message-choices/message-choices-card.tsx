'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChannelChoiceView, MessageChoicesView } from '#contract/message-choices.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { DataTableSkeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { CHANNEL_LABELS, choiceLabel, REASON_LABELS, resumeMessage } from './choice-labels.ts';

const NoteChoice = lazyComponent(() => import('./note-choice.tsx').then((module) => module.NoteChoice));

/** Says whether reminders reach the patient, what prevents them, and what the patient said about them. */
export function MessageChoicesCard({ patientId, inCare }: { patientId: string; inCare: boolean }) {
  const trpc = useTRPC();
  const choices = useQuery(trpc.messageChoices.get.queryOptions({ id: patientId }));
  const mayNote = useMay('patients:write');
  const [editing, setEditing] = useState<ChannelChoiceView | null>(null);
  return (
    <Card aria-label="Reminders">
      <CardHeader title="Reminders" />
      {choices.error ? (
        <ErrorState error={choices.error} onRetry={() => void choices.refetch()} />
      ) : !choices.data ? (
        <DataTableSkeleton columns={1} />
      ) : (
        <>
          {inCare ? (
            <ul className="grid gap-4 p-4">
              {choices.data.channels.map((channel) => (
                <Channel
                  key={channel.channel}
                  choice={channel}
                  {...(mayNote && { onNote: () => setEditing(channel) })}
                />
              ))}
            </ul>
          ) : (
            <p className="p-4 text-muted">No reminders are sent to a patient who is not in care.</p>
          )}
          {choices.data.history.length > 0 && <History history={choices.data.history} />}
        </>
      )}
      {editing && <NoteChoice patientId={patientId} choice={editing} onClose={() => setEditing(null)} />}
    </Card>
  );
}

function Channel({ choice, onNote }: { choice: ChannelChoiceView; onNote?: () => void }) {
  const { channel, state, since, address, sign_in_codes, sign_in_sender } = choice;
  const resume = state === 'stopped' ? resumeMessage(choice, formatPhone) : null;
  return (
    <li className="grid gap-1.5">
      <p className="wrap-anywhere">
        {choiceLabel(choice)}
        {since && (
          <>
            , <DateTime value={since} />
          </>
        )}
      </p>
      {address && (
        <p className="text-[13px] text-muted wrap-anywhere">{channel === 'sms' ? formatPhone(address) : address}</p>
      )}
      {resume && <p className="text-[13px] text-muted">{resume}</p>}
      {sign_in_codes === 'stopped' && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-[13px] text-warn-ink">
          Sign-in codes do not reach them: their phone answered STOP. A text START
          {sign_in_sender && ` to ${formatPhone(sign_in_sender)}`} from their phone brings the codes back.
        </p>
      )}
      {onNote && !resume && (address || state === 'stopped') && (
        <div>
          <Button size="sm" onClick={onNote}>
            {state === 'stopped'
              ? `Send reminders ${CHANNEL_LABELS[channel]} again`
              : `No more reminders ${CHANNEL_LABELS[channel]}`}
          </Button>
        </div>
      )}
    </li>
  );
}

function History({ history }: { history: MessageChoicesView['history'] }) {
  return (
    <details className="border-t border-line px-4 py-3 text-[13px]">
      <summary className="cursor-pointer rounded-sm py-0.5 font-medium">What they said</summary>
      <ul aria-label="What they said" className="mt-2 grid gap-2 text-muted">
        {history.map((entry) => (
          <li key={entry.id} className="wrap-anywhere">
            <p className="text-ink">
              {REASON_LABELS[entry.because]}: {entry.state === 'stopped' ? 'no reminders' : 'reminders'}{' '}
              {CHANNEL_LABELS[entry.channel]}
            </p>
            {entry.words && <p className="text-ink">“{entry.words}”</p>}
            <p>
              {[entry.by, entry.address && (entry.channel === 'sms' ? formatPhone(entry.address) : entry.address)]
                .filter(Boolean)
                .map((part) => `${part}, `)}
              <DateTime value={entry.at} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
