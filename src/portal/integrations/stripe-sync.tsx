import type { StripeSyncView } from '#contract/settings.ts';
import { DateTime } from '#portal/ui/date-time.tsx';
import { boundWords, repairWords } from './sync-words.ts';

/** How subscriptions keep up with Stripe: what it told by itself, what was looked for, and what was put right. */
export function StripeSync({ sync }: { sync: StripeSyncView }) {
  return (
    <section aria-label="Keeping up with Stripe" className="grid gap-3 border-t border-line pt-4">
      <div>
        <h3 className="font-medium">Keeping up with Stripe</h3>
        <p className="text-[13px] text-muted">
          Stripe tells of changes by itself. What it could not tell is found within {boundWords(sync)}.
        </p>
      </div>
      <dl className="grid gap-2">
        <Row term="Last change told">
          <DateTime value={sync.last_webhook_at} />
        </Row>
        <Row term="Last looked for changes">
          <DateTime value={sync.last_reconcile_at} />
        </Row>
        <Row term="All subscriptions compared">
          <DateTime value={sync.compared_at} />
        </Row>
        <Row term="Put right">{sync.repaired}</Row>
      </dl>
      {!sync.answered && (
        <p className="text-[13px]">Stripe did not answer the last time. It is asked again by itself.</p>
      )}
      {sync.repairs.length > 0 && (
        <details>
          <summary className="cursor-pointer text-[13px]">What was put right last</summary>
          <ul className="mt-2 grid gap-2 text-[13px]">
            {sync.repairs.map((repair) => (
              <li key={repair.id} className="grid gap-x-4 sm:grid-cols-[1fr_auto]">
                <span>{repairWords(repair)}</span>
                <span className="text-muted">
                  <DateTime value={repair.created_at} />
                </span>
                <span className="text-muted wrap-anywhere sm:col-span-2">{repair.object_id}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {sync.unknown.length > 0 && (
        <div className="grid gap-2">
          <h4 className="font-medium">Subscriptions of nobody known here</h4>
          <p className="text-[13px] text-muted">
            They were made at Stripe for customers who are no patients here. If one is a patient’s, subscribe the
            patient here and cancel it at Stripe.
          </p>
          <ul className="grid gap-2 text-[13px]">
            {sync.unknown.map((one) => (
              <li key={one.id} className="grid gap-x-4 sm:grid-cols-[1fr_auto]">
                <span>{one.name ?? 'A subscription'}</span>
                <span className="text-muted">
                  <DateTime value={one.first_seen_at} />
                </span>
                <span className="text-muted wrap-anywhere sm:col-span-2">
                  {one.id}, of {one.customer_id}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function Row({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{term}</dt>
      <dd className="text-right">{children}</dd>
    </div>
  );
}
