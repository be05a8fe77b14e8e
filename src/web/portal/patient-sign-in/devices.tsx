'use client';
import { MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import type { PatientSessionView } from '#contract/patient-sign-in.ts';
import { Button } from '#web/ui/button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { deviceWords } from './sign-in-words.ts';

/** Number of sessions shown; an app that signs in at each start leaves a session behind each time. */
const SHOWN = 5;

type DevicesProps = { sessions: PatientSessionView[]; onSignOut: (session: PatientSessionView) => void };

/** Active sessions of the patient, the newest first. */
export function Devices({ sessions, onSignOut }: DevicesProps) {
  const [all, setAll] = useState(false);
  const shown = all ? sessions : sessions.slice(0, SHOWN);
  return (
    <div className="border-t border-line">
      <ul aria-label="Signed in now" className="divide-y divide-line">
        {shown.map((session) => (
          <li key={session.id} className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-2.5 px-4 py-3">
            <MonitorSmartphone aria-hidden className="mt-0.5 size-4 text-muted" />
            <div className="text-[13px] text-muted">
              <p className="text-sm text-ink">{deviceWords({ ...session, network: null })}</p>
              {session.network && <p className="tabular-nums">Network {session.network}</p>}
              <p>
                Since <DateTime value={session.started_at} />
              </p>
              <p>
                Last used <DateTime value={session.last_used_at} />
              </p>
            </div>
            <Button
              size="sm"
              variant="ghost"
              aria-label={`Sign out ${deviceWords(session)}`}
              onClick={() => onSignOut(session)}
            >
              Sign out
            </Button>
          </li>
        ))}
      </ul>
      {sessions.length > SHOWN && (
        <Button size="sm" variant="ghost" className="mx-1.5 mb-2" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${sessions.length}`}
        </Button>
      )}
    </div>
  );
}
