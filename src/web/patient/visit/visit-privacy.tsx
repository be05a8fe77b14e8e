'use client';
import type { ReactNode } from 'react';
import { useClinicLook } from '../../ui/clinic-look.tsx';
import { PatientPage } from '../frame/patient-page.tsx';

/** The privacy page of video appointments: who can see what, and what is stored. */
export function VisitPrivacy() {
  const look = useClinicLook();
  const clinic = look?.name ?? 'your clinic';
  return (
    <PatientPage clinic={look?.name} footnote="Video visits are never recorded here.">
      <div className="grid gap-6">
        <div>
          <h1 className="text-xl font-semibold tracking-tight text-balance">Your video visit is between you two</h1>
          <p className="mt-2 text-muted">
            Picture and sound go from your browser to your practitioner’s, encrypted all the way. No one in between can
            see or hear you: not us, not the company that runs the network.
          </p>
        </div>
        <Part title="What is not kept">
          <li>The visit is not recorded. There is no button for it, on either side.</li>
          <li>What you write in the chat is gone when the visit ends.</li>
          <li>
            No other company sees or hears the call: a server may help the two browsers to find each other, and cannot
            open what it passes on. Nothing on the page tracks you.
          </li>
        </Part>
        <Part title={`What ${clinic} keeps`}>
          <li>When you came and left, when your practitioner did, and who ended the visit.</li>
          <li>
            How good the connection was, and whether camera and microphone worked, so that the clinic can help you.
          </li>
          <li>
            From which internet address and with which browser you opened the visit, in the record of who did what here.
          </li>
          <li>If you test everything beforehand: the result, of the last time only.</li>
        </Part>
        <Part title="How the two browsers find each other">
          <li>
            To connect you, each learns the other’s internet address, a number that can show roughly where a person is.
            Neither page shows it.
          </li>
          <li>
            Where the networks do not let the two meet, the call goes through a helper server. It passes the encrypted
            call on and cannot open it.
          </li>
        </Part>
        <Part title="How you can be sure that no one listens in">
          <li>
            During the visit both of you see four words at the top of the page. Read them to each other: if they are the
            same, no one is between you.
          </li>
        </Part>
        <Part title="What you decide">
          <li>Your browser asks before it uses camera and microphone, and you can turn either off at any time.</li>
          <li>You share your screen only if you choose to, and only what you choose.</li>
          <li>Your link is yours alone. If someone else may have it, ask {clinic} for a new one.</li>
        </Part>
      </div>
    </PatientPage>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="font-semibold">{title}</h2>
      <ul className="mt-2 grid list-disc gap-1.5 pl-5">{children}</ul>
    </section>
  );
}
