'use client';
import type { ReactNode } from 'react';
import type { AuditEntryView } from '#contract/audit.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { Link } from '#web/ui/link.tsx';
import { Sheet } from '#web/ui/sheet.tsx';
import { actorName, describeEntry, outcomeLabel } from './action-labels.ts';

/** All fields of one audit entry. */
export function EntrySheet({ entry, onClose }: { entry: AuditEntryView; onClose: () => void }) {
  const { actor, on_behalf_of: onBehalfOf, outcome, patients, patient_count: count } = entry;
  const details = Object.entries(entry.details);
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()} title={`${actorName(actor)} ${describeEntry(entry)}`}>
      <div className="overflow-y-auto px-5 pb-6">
        <dl className="grid gap-3">
          <Fact name="When">
            <DateTime value={entry.at} />
          </Fact>
          <Fact name="Outcome">{outcome === 'done' ? 'Done' : outcomeLabel(outcome)}</Fact>
          <Fact name="Who">{actorName(actor)}</Fact>
          {onBehalfOf && <Fact name="In the name of">{onBehalfOf.name ?? 'A patient'}</Fact>}
          {count > 0 && (
            <Fact name={count === 1 ? 'Patient' : 'Patients'}>
              <ul className="grid gap-1">
                {patients.map(({ id, name }) => (
                  <li key={id}>
                    <Link href={`/patients/${id}`} className="text-accent-ink underline underline-offset-2">
                      {name ?? 'A patient without a name'}
                    </Link>
                  </li>
                ))}
                {count > patients.length && <li>and {count - patients.length} more</li>}
              </ul>
            </Fact>
          )}
          <Fact name="Device">{entry.device ?? 'Not known'}</Fact>
          <Fact name="Network address">{entry.address ?? 'Not known'}</Fact>
          <Fact name="Request">
            <code className="text-[13px]">{entry.request_id}</code>
          </Fact>
          {details.length > 0 && (
            <Fact name="Details">
              <ul className="grid gap-1 text-[13px]">
                {details.map(([name, value]) => (
                  <li key={name}>
                    {name.replaceAll('_', ' ')}: {Array.isArray(value) ? value.join(', ') : String(value)}
                  </li>
                ))}
              </ul>
            </Fact>
          )}
        </dl>
      </div>
    </Sheet>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt className="text-[13px] text-muted">{name}</dt>
    <dd className="wrap-anywhere">{children}</dd>
  </div>
);
