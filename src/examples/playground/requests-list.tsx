'use client';
import { useSyncExternalStore } from 'react';
import { Badge, type Tone } from '#web/ui/badge.tsx';
import { type RecordedRequest, recordedRequests } from './steps/recording-fetch.ts';

const NONE: RecordedRequest[] = [];

function toneOf(status: number | null): Tone {
  if (status === null) return 'neutral';
  return status >= 200 && status < 400 ? 'good' : status >= 400 && status < 500 ? 'warn' : 'danger';
}

/** The latest requests of the app. Query, headers and body are left out, because they may contain personal data. */
export function RequestsList() {
  const requests = useSyncExternalStore(recordedRequests.listen, recordedRequests.read, () => NONE);
  return (
    <section aria-labelledby="requests-title">
      <h2 id="requests-title" className="mb-2 font-semibold">
        Requests
      </h2>
      <div className="overflow-hidden rounded-xl border border-line bg-surface shadow-card">
        {requests.length === 0 && <p className="px-4 py-3 text-muted">No requests yet.</p>}
        {requests.length > 0 && (
          <ol aria-label="Requests, newest first" className="divide-y divide-line">
            {requests.map(({ id, method, path, status, requestId }) => (
              <li key={id} className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 px-4 py-2 font-mono text-xs/5">
                <span className="w-11 font-medium">{method}</span>
                <span className="wrap-anywhere">{path}</span>
                <Badge tone={toneOf(status)}>{status === null ? '…' : status || 'no response'}</Badge>
                {requestId && <span className="col-start-2 text-muted wrap-anywhere">{requestId}</span>}
              </li>
            ))}
          </ol>
        )}
      </div>
    </section>
  );
}
