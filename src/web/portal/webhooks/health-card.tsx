'use client';
import type { WebhookHealthView } from '#contract/webhooks.ts';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { formatInstant } from '#web/ui/format-time.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { HealthChart } from './health-chart.tsx';
import { healthWords } from './words.ts';

/** The last 24 hours, as a chart and as a table of the same data. */
export function HealthCard({ health }: { health: WebhookHealthView | undefined }) {
  const zone = useReaderZone();
  const busy = health?.hours.filter(({ delivered, failed }) => delivered + failed > 0) ?? [];
  return (
    <Card aria-label="Last 24 hours">
      <CardHeader title="Last 24 hours" description={<span className="tabular-nums">{healthWords(health)}</span>} />
      <CardBody className="grid gap-3">
        <div>
          <HealthChart health={health} size="large" />
          <p aria-hidden className="flex justify-between text-xs text-muted">
            <span>24 hours ago</span>
            <span>now</span>
          </p>
        </div>
        <p className="text-[13px] text-muted">Above the line what arrived, below it tries that failed, by the hour.</p>
        {busy.length > 0 && (
          <details className="text-[13px]">
            <summary className="min-h-6 cursor-default rounded-sm">The same as a table</summary>
            <table className="mt-2 w-full text-left tabular-nums" aria-label="Tries by the hour">
              <thead className="text-muted">
                <tr>
                  <th scope="col" className="font-medium">
                    Hour
                  </th>
                  <th scope="col" className="text-right font-medium">
                    Arrived
                  </th>
                  <th scope="col" className="text-right font-medium">
                    Failed
                  </th>
                </tr>
              </thead>
              <tbody>
                {busy.map(({ at, delivered, failed }) => (
                  <tr key={at}>
                    <th scope="row" className="font-normal">
                      {formatInstant(at, 'time', zone)}
                    </th>
                    <td className="text-right">{delivered}</td>
                    <td className="text-right">{failed}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        )}
      </CardBody>
    </Card>
  );
}
