'use client';
import { useRef, useState } from 'react';
import type { VisitTestPage } from '#contract/visit-test.ts';
import { takeLinkToken } from '../../../ui/links/link-token.ts';
import { OpenedLink } from '../../frame/opened-link.tsx';
import { VisitTimes } from '../visit-times.tsx';
import { Trial } from './trial.tsx';

const DEAD = { why: 'It is not complete, or there is no such visit any more.', askFor: 'about your visit' };

/** The page where a patient tests in advance if a video appointment will work on this device and network. */
export function VisitTrial() {
  return (
    <OpenedLink<VisitTestPage> page="visit" step="visits.openTest" title="Try out your video visit" dead={DEAD}>
      {(visit) => <Opened visit={visit} />}
    </OpenedLink>
  );
}

function Opened({ visit }: { visit: VisitTestPage }) {
  const token = useRef(takeLinkToken('visit') ?? '').current;
  // By the server's clock, evaluated once: patients do not stay here for long.
  const [isAhead] = useState(() => visit.status === 'scheduled' && Date.parse(visit.to_date) > Date.parse(visit.now));
  if (!isAhead)
    return (
      <div>
        <h1 className="text-xl font-semibold tracking-tight">
          {visit.status === 'canceled' ? 'This visit was canceled' : 'This visit is over'}
        </h1>
        <p className="mt-1 text-muted">There is nothing to try out. Ask {visit.clinic} for another time.</p>
      </div>
    );
  return (
    <div className="grid gap-5">
      <div>
        <h1 className="text-xl font-semibold tracking-tight">Will your video visit work?</h1>
        <p className="mt-1 text-balance text-muted">
          It takes half a minute. Do it on the device, and at the place, where you will be for your visit with{' '}
          {visit.practitioner}.
        </p>
      </div>
      <VisitTimes {...visit} />
      <Trial token={token} servers={visit.ice_servers} clinic={visit.clinic} />
    </div>
  );
}
