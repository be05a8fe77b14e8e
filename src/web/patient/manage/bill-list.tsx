'use client';
import type { ManagedPayment } from '#contract/managed-subscription.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card, CardBody, CardHeader } from '../../ui/card.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { formatMoney } from '../../ui/format-money.ts';
import { billWords } from './manage-words.ts';

/** All bills, each with its receipt or invoice. */
export function BillList({ payments }: { payments: ManagedPayment[] }) {
  return (
    <Card>
      <CardHeader title="Bills" />
      {payments.length === 0 ? (
        <CardBody className="text-muted">Nothing was billed yet.</CardBody>
      ) : (
        <ul className="divide-y divide-line">
          {payments.map((bill) => (
            <li key={bill.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3">
              <span className="flex items-center gap-3">
                <DateTime value={bill.created_at} shape="date" />
                <Badge tone={billWords(bill).tone}>{billWords(bill).label}</Badge>
              </span>
              <span className="ml-auto flex items-center gap-3">
                <BillLink bill={bill} />
                <span className="min-w-16 text-right font-medium tabular-nums">
                  {formatMoney(bill.total, bill.currency)}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function BillLink({ bill }: { bill: ManagedPayment }) {
  const address = bill.receipt_url ?? bill.pdf_url ?? bill.invoice_url;
  if (!address) return null;
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      className="rounded-sm py-1 text-accent-ink underline underline-offset-3"
    >
      {bill.receipt_url ? 'Receipt' : 'Invoice'}
      {bill.number && <span className="sr-only"> {bill.number}</span>}
      <span className="sr-only"> (opens a new tab)</span>
    </a>
  );
}
