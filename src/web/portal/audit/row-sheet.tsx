'use client';
import type { ReactNode } from 'react';
import type { AuditEntryView } from '#contract/audit.ts';
import { Button } from '#web/ui/button.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { Link } from '#web/ui/link.tsx';
import { Sheet } from '#web/ui/sheet.tsx';
import { actorName, describeEntry, describeRow, outcomeLabel, subjectOf } from './action-labels.ts';
import { isId } from './actor-filter.ts';
import type { AuditRow } from './fold-entries.ts';

type RowSheetProps = { row: AuditRow; onClose: () => void; onOnly: (actorId: string) => void };

/** All fields of the entries of a row. */
export function RowSheet({ row, onClose, onOnly }: RowSheetProps) {
  const { lead, entries } = row;
  const { actor, on_behalf_of: onBehalfOf } = lead;
  const isOne = entries.length === 1;
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()} title={`${subjectOf(lead)} ${describeRow(row)}`}>
      <div className="overflow-y-auto px-5 pb-6">
        <dl className="grid gap-3">
          <Fact name="When">
            <DateTime value={lead.at} />
          </Fact>
          <Fact name="Outcome">{lead.outcome === 'done' ? 'Done' : outcomeLabel(lead.outcome)}</Fact>
          <Fact name="Who">
            {actorName(actor)}
            {isId(actor.id) && (
              <Button size="sm" className="ml-2" onClick={() => onOnly(actor.id)}>
                Only what they did
              </Button>
            )}
          </Fact>
          {onBehalfOf && <Fact name="In the name of">{onBehalfOf.name ?? 'A patient'}</Fact>}
          {!row.lists && lead.patient_count > 0 && (
            <Fact name={lead.patient_count === 1 ? 'Patient' : 'Patients'}>
              <Patients entry={lead} />
            </Fact>
          )}
          <Fact name="Device">{lead.device ?? 'Not known'}</Fact>
          <Fact name="Network address">{lead.address ?? 'Not known'}</Fact>
          {isOne && <OwnFacts entry={lead} />}
        </dl>
        {!isOne && (
          <section className="mt-5 border-t border-line pt-4">
            <h3 className="mb-2 font-semibold">{pluralize(entries.length, 'entry')}</h3>
            <ol className="divide-y divide-line" aria-label="Entries">
              {entries.map((entry) => (
                <li key={entry.id} className="grid gap-2 py-3">
                  <p className="wrap-anywhere">{sentence(describeEntry(entry))}</p>
                  <dl className="grid grid-cols-2 gap-2 text-[13px]">
                    <Fact name="When">
                      <DateTime value={entry.at} />
                    </Fact>
                    <Fact name="Outcome">{entry.outcome === 'done' ? 'Done' : outcomeLabel(entry.outcome)}</Fact>
                    {row.lists && entry.patient_count > 0 && (
                      <Fact name={entry.patient_count === 1 ? 'Patient' : 'Patients'}>
                        <Patients entry={entry} />
                      </Fact>
                    )}
                    <OwnFacts entry={entry} />
                  </dl>
                </li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </Sheet>
  );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What differs between the entries of a row. */
function OwnFacts({ entry }: { entry: AuditEntryView }) {
  const details = Object.entries(entry.details);
  return (
    <>
      <Fact name="Action">
        <code className="text-[13px]">{entry.action}</code>
      </Fact>
      <Fact name="Request">
        <code className="text-[13px]">{entry.request_id}</code>
      </Fact>
      {details.length > 0 && (
        <Fact name="Details">
          <ul className="grid gap-1 text-[13px]">
            {details.map(([name, value]) => (
              <li key={name}>
                {name.replaceAll('_', ' ')}: {detailOf(entry, name, value)}
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  );
}

function detailOf({ payment }: AuditEntryView, name: string, value: unknown): string {
  if (payment && name === 'amount' && typeof value === 'number') return formatMoney(value, payment.currency);
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function Patients({ entry: { patients, patient_count: count } }: { entry: AuditEntryView }) {
  return (
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
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt className="text-[13px] text-muted">{name}</dt>
    <dd className="wrap-anywhere">{children}</dd>
  </div>
);
