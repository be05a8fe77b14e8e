import type { Account } from './state.ts';

/** The only plan with API access; lower plans get 403. */
export const API_PLAN = 'Powerhouse';
export const PLANS = ['Emerging', 'Growing', API_PLAN] as const;

export const hasApi = ({ plan }: Account): boolean => plan === API_PLAN;
