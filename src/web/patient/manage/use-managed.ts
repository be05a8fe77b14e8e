'use client';
import { useCallback, useEffect, useState } from 'react';
import type { ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { readApiFaults } from '../../ui/api-faults.ts';
import { askLink } from '../../ui/links/ask-link.ts';
import { takeLinkToken } from '../../ui/links/link-token.ts';

const open = (token: string) => askLink<ManagedSubscriptionView>('manage.open', token);
const WAITS_MS = [300, 700, 1000, 1500, 2000, 3000, 4000];

/** Asks until a payment has arrived; gives the last answer when that takes longer than a patient should wait. */
async function openSettled(token: string): Promise<ManagedSubscriptionView> {
  let view = await open(token);
  for (const wait of WAITS_MS) {
    if (view.next_action === 'none' && !['incomplete', 'past_due', 'unpaid'].includes(view.status)) return view;
    await new Promise((resolve) => setTimeout(resolve, wait));
    view = await open(token);
  }
  return view;
}

/** On the way back from a bank's page: what was begun there is finished first. */
async function openReturned(token: string): Promise<ManagedSubscriptionView> {
  const returned = new URLSearchParams(window.location.search);
  if (!returned.has('redirect_status')) return open(token);
  window.history.replaceState(window.history.state, '', window.location.pathname);
  if (returned.get('redirect_status') === 'failed') return open(token);
  const setup_intent_id = returned.get('setup_intent');
  if (!setup_intent_id) return openSettled(token);
  // One that was to be saved for a trial belongs to that: there is nothing more to do with it.
  return askLink<ManagedSubscriptionView>('manage.useCard', token, { setup_intent_id }).catch(() => open(token));
}

export type Managed =
  | { at: 'opening' }
  | { at: 'open'; view: ManagedSubscriptionView }
  | { at: 'nowhere'; error?: unknown }
  | { at: 'trouble'; error: unknown };

const stageOf = (error: unknown): Managed => {
  const { code } = readApiFaults(error)[0];
  return code === 'not_found' || code === 'invalid_parameter' ? { at: 'nowhere', error } : { at: 'trouble', error };
};

/** The subscription behind the page's link, and the steps that it takes. A step rejects with the API's error. */
export function useManaged() {
  const [stage, setStage] = useState<Managed>({ at: 'opening' });
  const read = useCallback(async (by: (token: string) => Promise<ManagedSubscriptionView>) => {
    const token = takeLinkToken('manage');
    if (!token) {
      setStage({ at: 'nowhere' });
      return;
    }
    try {
      const view = await by(token);
      setStage({ at: 'open', view });
      return view;
    } catch (error) {
      setStage(stageOf(error));
    }
  }, []);
  useEffect(() => void read(openReturned), [read]);

  /** A step that gives something else than the page. */
  const ask = useCallback(
    <View>(step: string, more: object = {}) => askLink<View>(step, takeLinkToken('manage') ?? '', more),
    [],
  );
  /** A step that changes something, and shows what came of it. */
  const act = useCallback(
    async (step: string, more: object = {}) => {
      const view = await ask<ManagedSubscriptionView>(step, more);
      setStage({ at: 'open', view });
    },
    [ask],
  );
  return { stage, ask, act, retry: () => read(open), settle: () => read(openSettled) };
}
