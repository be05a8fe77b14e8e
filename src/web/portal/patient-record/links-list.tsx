'use client';
import type { SentLinkView } from '#contract/checkout-links.ts';
import type { PatientSignInView } from '#contract/patient-sign-in.ts';
import { Badge, type Tone } from '#web/ui/badge.tsx';
import { Card } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';

type Invitation = PatientSignInView['invitations'][number];
type State = SentLinkView['state'] | NonNullable<Invitation['state']>;

const STATES: Record<State, [label: string, tone: Tone]> = {
  live: ['Open', 'info'],
  open: ['Open', 'info'],
  answered: ['Answered', 'good'],
  used: ['Done', 'good'],
  replaced: ['Replaced', 'neutral'],
  over: ['Over', 'neutral'],
};

type Line = { id: string; at: string; title: string; details: string; state?: State | null };

type LinksListProps = { links: SentLinkView[]; invitations: Invitation[] };

/** Loaded with the links. */
export function LinksList({ links, invitations }: LinksListProps) {
  const lines = [...links.map(lineOfLink), ...invitations.map(lineOfInvitation)];
  return (
    <section aria-labelledby="links-sent" className="grid gap-2">
      <h2 id="links-sent" className="font-semibold">
        Links sent
      </h2>
      <Card>
        <ul className="divide-y divide-line">
          {lines
            .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
            .map((line) => (
              <li key={line.id} className="flex items-start justify-between gap-3 px-4 py-2.5">
                <div className="min-w-0">
                  <p className="wrap-anywhere">{line.title}</p>
                  <p className="text-[13px] text-muted wrap-anywhere">
                    <DateTime value={line.at} />
                    {line.details && `, ${line.details}`}
                  </p>
                </div>
                {line.state && (
                  <Badge tone={STATES[line.state][1]} dot>
                    {STATES[line.state][0]}
                  </Badge>
                )}
              </li>
            ))}
        </ul>
      </Card>
    </section>
  );
}

const lineOfLink = (link: SentLinkView): Line => ({
  id: link.id,
  at: link.sent_at ?? link.created_at,
  title: `Payment link${link.name ? ` for ${link.name}` : ''}`,
  details: [link.sent_to ? `to ${link.sent_to}` : 'copied', link.created_by && `by ${link.created_by}`]
    .filter(Boolean)
    .join(', '),
  state: link.state,
});

const lineOfInvitation = ({ id, at, by, sent_to, state }: Invitation): Line => ({
  id,
  at,
  title: 'Invitation to sign in',
  details: [sent_to && `to ${sent_to}`, by && `by ${by}`].filter(Boolean).join(', '),
  state,
});
