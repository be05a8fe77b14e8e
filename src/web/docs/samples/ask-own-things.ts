import type { Scope } from '#contract/scopes.ts';
import type { SampleTokenView } from '#contract/settings.ts';
import type { GivenThings } from './own-things.tsx';
import type { OwnValues } from './own-values.ts';

/** The list of each kind of resource, and the scope that reads it. */
const LISTS = {
  patientId: ['/patients', 'patients:read'],
  appointmentId: ['/appointments', 'appointments:read'],
  subscriptionId: ['/subscriptions', 'subscriptions:read'],
  paymentId: ['/payments', 'subscriptions:read'],
  webhookEndpointId: ['/webhook_endpoints', 'webhooks:read'],
  eventId: ['/events', 'events:read'],
} as const satisfies Partial<Record<keyof OwnValues, readonly [list: string, scope: Scope]>>;

/**
 * Requests a token for an application of the reader's sandbox, and the first id of each kind of resource that its
 * scopes permit.
 * @throws when the reader is not signed in, or may not have a token
 */
export async function askOwnThings(applicationId: string): Promise<GivenThings> {
  const answer = await fetch('/api/trpc/applications.giveSampleToken', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-carelane-portal': '1' },
    body: JSON.stringify({ id: applicationId }),
  });
  const { result } = (await answer.json()) as { result: { data: SampleTokenView } };
  const { access_token: token, scopes } = result.data;
  const found = await Promise.all(
    Object.entries(LISTS)
      .filter(([, [, scope]]) => scopes.includes(scope) || scopes.includes('admin'))
      .map(async ([name, [list]]) => [name, await firstOf(list, token)] as const),
  );
  return { token, values: Object.fromEntries(found.filter(([, id]) => id !== undefined)) };
}

async function firstOf(list: string, token: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`/api/v1${list}?size=1`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) return undefined;
    const [first] = (await answer.json()) as { id: string }[];
    return first?.id;
  } catch {
    return undefined;
  }
}
