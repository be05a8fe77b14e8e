import type { IntegrationProvider, StripeSyncView } from '#contract/integrations.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { UnmatchedLink } from '../unmatched/unmatched-notice.tsx';
import { PROVIDERS } from './provider-names.ts';
import { boundWords, repairWords } from './sync-words.ts';

const COMPARED = { stripe: 'All subscriptions compared', acuity: 'All visits compared' };

/** Synchronization with the provider: events received, comparisons made, and repairs. */
export function ProviderSync({ provider, sync }: { provider: IntegrationProvider; sync: StripeSyncView }) {
  const { name } = PROVIDERS[provider];
  return (
    <section aria-label={`Keeping up with ${name}`} className="grid gap-3 border-t border-line pt-4">
      <div>
        <h3 className="font-medium">Keeping up with {name}</h3>
        <p className="text-[13px] text-muted">
          {name} tells of changes by itself. What it could not tell is found within {boundWords(sync)}.
        </p>
      </div>
      <dl className="grid gap-2">
        <Row term="Last change told">
          <DateTime value={sync.last_webhook_at} />
        </Row>
        <Row term="Last looked for changes">
          <DateTime value={sync.last_reconcile_at} />
        </Row>
        <Row term={COMPARED[provider]}>
          <DateTime value={sync.compared_at} />
        </Row>
        <Row term="Put right">{sync.repaired}</Row>
        {Boolean(sync.unmatched) && (
          <Row term="Of people who are no patients here">
            <UnmatchedLink count={sync.unmatched!} />
          </Row>
        )}
      </dl>
      {!sync.answered && (
        <p className="text-[13px]">{name} did not answer the last time. It is asked again by itself.</p>
      )}
      {sync.repairs.length > 0 && (
        <details>
          <summary className="cursor-pointer text-[13px]">What was put right last</summary>
          <ul className="mt-2 grid gap-2 text-[13px]">
            {sync.repairs.map((repair) => (
              <li key={repair.id} className="grid gap-x-4 sm:grid-cols-[1fr_auto]">
                <span>{repairWords(repair, provider)}</span>
                <span className="text-muted">
                  <DateTime value={repair.created_at} />
                </span>
                <span className="text-muted wrap-anywhere sm:col-span-2">{repair.object_id}</span>
              </li>
            ))}
          </ul>
        </details>
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
