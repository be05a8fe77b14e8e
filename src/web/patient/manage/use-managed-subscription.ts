'use client';
import { useCallback, useEffect, useState } from 'react';
import type { ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { readApiErrors } from '../../ui/api-errors.ts';
import { callLinkApi, pollLink, takeLinkToken } from '../../ui/links/link.ts';

/** The API steps of the page: `query` only reads; `act` changes the subscription and shows the `confirmation`. */
export type Steps = {
  query: <View>(step: string, more?: object) => Promise<View>;
  act: (step: string, more: object, confirmation: string) => Promise<void>;
};

const open = (token: string) => callLinkApi<ManagedSubscriptionView>('manage.open', token);

/** Polls until a payment has arrived. */
const openSettled = (token: string): Promise<ManagedSubscriptionView> =>
  pollLink(
    () => open(token),
    (view) => view.next_action === 'none' && !['incomplete', 'past_due', 'unpaid'].includes(view.status),
  );

/** After the return from a bank's page, completes the action that was started there. */
async function openAfterRedirect(token: string): Promise<ManagedSubscriptionView> {
  const params = new URLSearchParams(window.location.search);
  if (!params.has('redirect_status')) return open(token);
  window.history.replaceState(window.history.state, '', window.location.pathname);
  if (params.get('redirect_status') === 'failed') return open(token);
  const setup_intent_id = params.get('setup_intent');
  if (!setup_intent_id) return openSettled(token);
  // A setup intent of a trial belongs to the trial and needs no further step, so the error is ignored.
  return callLinkApi<ManagedSubscriptionView>('manage.useCard', token, { setup_intent_id }).catch(() => open(token));
}

type ManageStage =
  | { at: 'opening' }
  | { at: 'open'; view: ManagedSubscriptionView }
  | { at: 'invalid'; error?: unknown }
  | { at: 'trouble'; error: unknown };

const stageOf = (error: unknown): ManageStage => {
  const { code } = readApiErrors(error)[0];
  return code === 'not_found' || code === 'invalid_parameter' ? { at: 'invalid', error } : { at: 'trouble', error };
};

/** The subscription behind the link, and its API steps, which reject with the API's error. */
export function useManagedSubscription() {
  const [stage, setStage] = useState<ManageStage>({ at: 'opening' });
  const read = useCallback(async (load: (token: string) => Promise<ManagedSubscriptionView>) => {
    const token = takeLinkToken('manage');
    if (!token) {
      setStage({ at: 'invalid' });
      return;
    }
    try {
      const view = await load(token);
      setStage({ at: 'open', view });
      return view;
    } catch (error) {
      setStage(stageOf(error));
    }
  }, []);
  useEffect(() => void read(openAfterRedirect), [read]);

  /** A step that only reads, with a response of its own. */
  const query = useCallback(
    <View>(step: string, more: object = {}) => callLinkApi<View>(step, takeLinkToken('manage') ?? '', more),
    [],
  );
  /** A step that changes the subscription, and updates the page. */
  const act = useCallback(
    async (step: string, more: object = {}) => {
      const view = await query<ManagedSubscriptionView>(step, more);
      setStage({ at: 'open', view });
    },
    [query],
  );
  return { stage, query, act, retry: () => read(open), settle: () => read(openSettled) };
}
