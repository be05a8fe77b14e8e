'use client';
import { useCallback, useEffect, useState } from 'react';
import type { ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { readApiErrors } from '../../ui/api-errors.ts';
import { callLinkApi } from '../../ui/links/call-link-api.ts';
import { takeLinkToken } from '../../ui/links/link-token.ts';

const open = (token: string) => callLinkApi<ManagedSubscriptionView>('manage.open', token);
const WAITS_MS = [300, 700, 1000, 1500, 2000, 3000, 4000];

/** Polls until a payment has arrived; returns the last state when that takes too long. */
async function openSettled(token: string): Promise<ManagedSubscriptionView> {
  let view = await open(token);
  for (const wait of WAITS_MS) {
    if (view.next_action === 'none' && !['incomplete', 'past_due', 'unpaid'].includes(view.status)) return view;
    await new Promise((resolve) => setTimeout(resolve, wait));
    view = await open(token);
  }
  return view;
}

/** After the return from a bank's page, completes the action that was started there. */
async function openReturned(token: string): Promise<ManagedSubscriptionView> {
  const returned = new URLSearchParams(window.location.search);
  if (!returned.has('redirect_status')) return open(token);
  window.history.replaceState(window.history.state, '', window.location.pathname);
  if (returned.get('redirect_status') === 'failed') return open(token);
  const setup_intent_id = returned.get('setup_intent');
  if (!setup_intent_id) return openSettled(token);
  // A setup intent of a trial belongs to the trial and needs no further step, so the error is ignored.
  return callLinkApi<ManagedSubscriptionView>('manage.useCard', token, { setup_intent_id }).catch(() => open(token));
}

export type ManageStage =
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
  const read = useCallback(async (by: (token: string) => Promise<ManagedSubscriptionView>) => {
    const token = takeLinkToken('manage');
    if (!token) {
      setStage({ at: 'invalid' });
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

  /** A step with a response of its own. */
  const ask = useCallback(
    <View>(step: string, more: object = {}) => callLinkApi<View>(step, takeLinkToken('manage') ?? '', more),
    [],
  );
  /** A step that changes the subscription, and updates the page. */
  const act = useCallback(
    async (step: string, more: object = {}) => {
      const view = await ask<ManagedSubscriptionView>(step, more);
      setStage({ at: 'open', view });
    },
    [ask],
  );
  return { stage, ask, act, retry: () => read(open), settle: () => read(openSettled) };
}
